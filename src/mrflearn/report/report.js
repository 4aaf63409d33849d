// What is selected, the slider, the search, and who listens to what.
"use strict";

const MOST_MATCHES = 30;

// --- What is selected ----------------------------------------------------------------------------

const details = find("details");

function select(what) {
  state.selected = what;
  highlight(what);
  markRow();
  tell();
}

function selectRow(row) {
  select({ edge: Number(row.dataset.pair) });
  details.scrollTop = 0;
  details.scrollIntoView({ block: "nearest" }); // the table is below, and may be all one sees
}

function tell() {
  const { selected } = state;
  if (!selected) {
    details.replaceChildren(
      make("h3", {}, "Nothing is selected"),
      make(
        "p",
        {},
        "Select a variable for its neighbors, or an edge, here or in the table, for why it is " +
          "there. Escape clears.",
      ),
    );
  } else if (selected.node === undefined) tellEdge(selected.edge);
  else tellNode(selected.node);
}

function tellEdge(pair) {
  const [source, target, , entered, explanation] = pairs[pair];
  const at = stops[state.stop].pairs.indexOf(pair);
  const parts = [make("h3", {}, nameOf(source), " – ", nameOf(target))];
  if (!isChosen()) {
    const weight = at < 0 ? null : stops[state.stop].weights[at];
    const strength = weight === null ? "" : ` Its weight is ${format(weight)} (${unit}).`;
    const said = at < 0 ? "they have no edge." : `they have an edge.${strength}`;
    parts.push(make("p", {}, `At ${lambdaHere()} ${said}`));
  }
  const words = explanation || `It enters the path at lambda ${format(entered)}.`;
  parts.push(make("p", {}, isChosen() ? words : `At the ${wayOf()} lambda: ${words}`));
  details.replaceChildren(...parts, buttonsFor([source, target].map((node) => ({ node }))));
}

function tellNode(node) {
  const around = edgesHere()
    .filter((edge) => edge.source === node || edge.target === node)
    .sort((a, b) => (value(b.weight) || 0) - (value(a.weight) || 0));
  const kind = nodes[node].kind ? `A ${nodes[node].kind} variable. ` : "";
  const known = `Its Markov blanket at ${lambdaHere()}, ${counted(around.length, "neighbour")}`;
  const blanket = around.length
    ? `${known}: once they are known, the other variables tell no more about it. In ${unit}:`
    : `It has no edge at ${lambdaHere()}.`;
  const entries = around.map((edge) => ({
    node: edge.source === node ? edge.target : edge.source,
    edge: edge.pair,
    text: format(edge.weight),
  }));
  details.replaceChildren(
    make("h3", {}, nameOf(node)),
    make("p", {}, kind + blanket),
    buttonsFor(entries),
  );
}

function buttonsFor(entries) {
  const list = make("ul");
  for (const { node, edge, text } of entries) {
    const button = make("button", { type: "button" }, nameOf(node));
    if (text !== undefined) button.append(make("span", {}, text));
    button.addEventListener("click", () => select(edge === undefined ? { node } : { edge }));
    list.append(make("li", {}, button));
  }
  return list;
}

// --- Slider and search ---------------------------------------------------------------------------

const slider = find("stop");

function show(stop) {
  state.stop = stop;
  slider.value = String(stop);
  const mark = isChosen() ? `, ${wayOf()}` : "";
  const text = `${lambdaHere()}, ${counted(stops[stop].pairs.length, "edge")}${mark}`;
  find("shown").textContent = text;
  slider.setAttribute("aria-valuetext", text);
  find("back").disabled = isChosen();
  drawEdges();
  fillTable();
  tell();
}

function search() {
  const wanted = find("search").value.trim().toLowerCase();
  const found = nodes.flatMap((node, at) =>
    wanted && node.name.toLowerCase().includes(wanted) ? [at] : [],
  );
  cy.batch(() => {
    cy.nodes().removeClass("found");
    for (const at of found) cy.getElementById(`n${at}`).addClass("found");
  });
  const more = found.length > MOST_MATCHES ? `; the first ${MOST_MATCHES} are listed` : "";
  find("matching").textContent = wanted
    ? `${found.length} of ${counted(nodes.length, "variable")}${more}`
    : "";
  find("matches").replaceChildren(
    ...buttonsFor(found.slice(0, MOST_MATCHES).map((node) => ({ node }))).children,
  );
  return found;
}

function clear() {
  find("search").value = "";
  search();
  select(null);
}

// --- Wiring --------------------------------------------------------------------------------------

const share = stops.length > 1 ? content.chosen / (stops.length - 1) : 0.5;
find("mark").style.left = `calc(${share} * (100% - 16px) + 8px)`;
slider.disabled = stops.length < 2;
slider.addEventListener("input", () => show(Number(slider.value)));
find("back").addEventListener("click", () => {
  show(content.chosen);
  slider.focus();
});
find("search").addEventListener("input", search);
find("search").addEventListener("keydown", (event) => {
  const found = event.key === "Enter" ? search() : [];
  if (found.length) select({ node: found[0] });
});
find("download").addEventListener("click", download);
for (const button of headings) {
  button.addEventListener("click", () => {
    const { key } = button.dataset;
    const upwards = key === "source" || key === "target" || key.endsWith("_value");
    state.descending = key === state.key ? !state.descending : !upwards;
    state.key = key;
    fillTable();
  });
}
body.addEventListener("keydown", moveAmongRows);
body.addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  focusRow(row);
  selectRow(row);
});
for (const button of document.querySelectorAll("[data-node]")) {
  button.addEventListener("click", () => {
    select({ node: Number(button.dataset.node) });
    find("graph-heading").scrollIntoView();
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") clear();
});

cy.on("tap", "node", (event) => select({ node: event.target.data("at") }));
cy.on("tap", "edge", (event) => select({ edge: event.target.data("pair") }));
cy.on("tap", (event) => {
  if (event.target === cy) select(null);
});
cy.on("mouseover", "node", (event) => {
  canvas.title = nodes[event.target.data("at")].name;
  highlight({ node: event.target.data("at") });
});
cy.on("mouseover", "edge", (event) => highlight({ edge: event.target.data("pair") }));
cy.on("mouseout", "node, edge", () => {
  canvas.removeAttribute("title");
  highlight(state.selected);
});

const zoomBy = (factor, place) => {
  const middle = { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 };
  cy.zoom({ level: cy.zoom() * factor, renderedPosition: place ?? middle });
};
find("closer").addEventListener("click", () => zoomBy(1.4));
find("farther").addEventListener("click", () => zoomBy(1 / 1.4));
find("whole").addEventListener("click", () => cy.reset());
canvas.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 200), { x: event.offsetX, y: event.offsetY });
  },
  { passive: false },
);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  cy.style(styles()),
);
addEventListener("beforeprint", () => {
  show(content.chosen); // as in the still picture
  addRows();
});
const frame = { width: canvas.clientWidth, height: canvas.clientHeight };
new ResizeObserver(() => {
  const { clientWidth: width, clientHeight: height } = canvas;
  const same = width === frame.width && height === frame.height;
  if (same || !width) return; // no width: it is hidden, and comes back as it was
  Object.assign(frame, { width, height });
  cy.resize();
  arrange();
}).observe(canvas);

show(content.chosen);
document.documentElement.classList.remove("opening");
