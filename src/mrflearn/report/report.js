// What the page does: a graph at each lambda, its edges as a table, and words for what is selected.
// Text of the user reaches the page through textContent and attributes alone, never as HTML.
"use strict";

(() => {
  const MOST_ROWS = 2000; // of the table; the file to download has all
  const MOST_MATCHES = 30;
  const find = (id) => document.getElementById(id);
  const content = JSON.parse(find("content").textContent);
  const { nodes, pairs, stops, tests, looks, unit } = content;
  const state = { stop: content.chosen, selected: null, key: "weight", descending: true };

  document.documentElement.classList.add("scripted");

  // --- Words and numbers ------------------------------------------------------------------------

  // Numbers arrive as strict JSON holds them: "inf" for infinity, null for what is not known.
  const value = (given) => (given === null ? NaN : Number(String(given).replace("inf", "Infinity")));

  function format(given, digits = 3) {
    const number = value(given);
    if (Number.isNaN(number)) return "–";
    if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
    const short = Number(number.toPrecision(digits));
    const tiny = short !== 0 && Math.abs(short) < 1e-4;
    return (tiny ? short.toExponential() : String(short)).replaceAll("-", "−");
  }

  const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
  const isChosen = () => state.stop === content.chosen;
  const lambdaHere = () => `lambda ${format(stops[state.stop].lam)}`;

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, text] of Object.entries(attributes)) element.setAttribute(name, text);
    element.append(...children);
    return element;
  }

  const nameOf = (node) => make("bdi", { title: nodes[node].name }, nodes[node].label);

  // --- Edges at the lambda shown ----------------------------------------------------------------

  function edgesHere() {
    const { pairs: here, weights } = stops[state.stop];
    return here.map((pair, at) => {
      const [source, target, confidence, entered] = pairs[pair];
      const [p, q] = (isChosen() && tests[pair]) || [null, null];
      return { pair, source, target, weight: weights[at], p_value: p, q_value: q, confidence, entered };
    });
  }

  const compareText = new Intl.Collator("en", { numeric: true }).compare;

  function sorted(edges) {
    const { key, descending } = state;
    const sign = descending ? -1 : 1;
    if (key === "source" || key === "target") {
      return edges.sort((a, b) => sign * compareText(nodes[a[key]].name, nodes[b[key]].name));
    }
    return edges.sort((a, b) => {
      const [here, there] = [value(a[key]), value(b[key])];
      if (Number.isNaN(here) || Number.isNaN(there)) return Number.isNaN(here) - Number.isNaN(there);
      return here === there ? 0 : sign * (here < there ? -1 : 1);
    });
  }

  // --- The table --------------------------------------------------------------------------------

  const headings = [...document.querySelectorAll("#edges thead button")];
  const keys = headings.map((button) => button.dataset.key);
  const body = document.querySelector("#edges tbody");

  function cell(edge, key) {
    if (key === "source" || key === "target") return make("td", {}, nameOf(edge[key]));
    const known = edge[key] !== null;
    const percent = key === "confidence" && known;
    const digits = key === "p_value" || key === "q_value" ? 2 : 3;
    const text = percent ? `${Math.round(100 * edge[key])}%` : format(edge[key], digits);
    return make("td", { class: "number" }, text);
  }

  function fillTable() {
    const edges = sorted(edgesHere());
    const rows = edges.slice(0, MOST_ROWS).map((edge, at) => {
      const row = make("tr", { tabindex: at === 0 ? "0" : "-1", "data-pair": String(edge.pair) });
      row.append(...keys.map((key) => cell(edge, key)));
      return row;
    });
    body.replaceChildren(...rows);
    for (const button of headings) {
      const order = state.descending ? "descending" : "ascending";
      button.parentElement.setAttribute("aria-sort", button.dataset.key === state.key ? order : "none");
    }
    const hidden = edges.length - rows.length;
    find("more").textContent = hidden > 0 ? `… and ${counted(hidden, "edge")} more: the file has all.` : "";
    find("edges-at").textContent = isChosen() ? `at the ${wayOf()} lambda` : `at ${lambdaHere()}`;
    find("download").disabled = !edges.length;
    markRow();
  }

  function markRow() {
    const pair = state.selected?.edge;
    for (const row of body.rows) {
      if (Number(row.dataset.pair) !== pair) {
        row.removeAttribute("aria-current");
        continue;
      }
      row.setAttribute("aria-current", "true");
      const box = find("edges-box");
      const top = row.offsetTop - box.offsetTop;
      if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 40) {
        box.scrollTop = top - box.clientHeight / 2;
      }
    }
  }

  function moveAmongRows(event) {
    const row = event.target.closest("tr");
    const moves = {
      ArrowDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      Home: body.firstElementChild,
      End: body.lastElementChild,
    };
    if (event.key === "Enter" || event.key === " ") select({ edge: Number(row.dataset.pair) });
    else if (!moves[event.key]) return;
    else focusRow(moves[event.key]);
    event.preventDefault();
  }

  function focusRow(row) {
    for (const other of body.querySelectorAll("tr[tabindex='0']")) other.tabIndex = -1;
    row.tabIndex = 0;
    row.focus();
  }

  // --- The file to download ---------------------------------------------------------------------

  // A name that begins like a formula must not become one in a spreadsheet.
  function csvText(text) {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  function csv() {
    const lines = sorted(edgesHere()).map((edge) =>
      keys.map((key) => {
        if (key === "source" || key === "target") return csvText(nodes[edge[key]].name);
        return edge[key] === null ? "" : String(edge[key]);
      }),
    );
    return [keys, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
  }

  function download() {
    const blob = new Blob(["\ufeff", csv()], { type: "text/csv;charset=utf-8" });
    const address = URL.createObjectURL(blob);
    const name = `edges-lambda-${Number(value(stops[state.stop].lam).toPrecision(3))}.csv`;
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // --- The picture ------------------------------------------------------------------------------

  const canvas = find("canvas");
  const crowded = nodes.length > 80;
  const cy = cytoscape({
    container: canvas,
    elements: nodes.map((node, at) => ({
      data: { id: `n${at}`, at, label: node.label, ...looks[node.kind] },
    })),
    layout: { name: "preset" },
    autoungrabify: true,
    boxSelectionEnabled: false,
    userZoomingEnabled: false, // the wheel scrolls the page; with Ctrl, or by pinching, it zooms
    minZoom: 0.5,
    maxZoom: 8,
    style: [],
  });
  const fontSize = () => (nodes.length > 40 || canvas.clientWidth < 500 ? 10.5 : 13);
  const drawn = new Map(); // from pair to the edge of the picture

  function dress() {
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(name).trim();
    cy.style([
      {
        selector: "node",
        style: {
          "background-color": "data(colour)",
          shape: "data(shape)",
          width: "data(size)",
          height: "data(size)",
          label: "data(label)",
          color: colour("--ink"),
          "font-size": "data(font)",
          "font-family": getComputedStyle(document.body).fontFamily,
          "text-outline-color": colour("--surface"),
          "text-outline-width": 2.5,
          "text-halign": "data(halign)",
          "text-valign": "data(valign)",
          "text-margin-x": "data(right)",
          "text-margin-y": "data(down)",
          "min-zoomed-font-size": crowded ? 15 : 0,
          "border-width": 1.5,
          "border-color": colour("--surface"),
        },
      },
      {
        selector: "edge",
        style: {
          width: "data(width)",
          "line-color": colour("--edge"),
          "line-opacity": "data(opacity)",
          "line-style": "data(line)",
          "curve-style": "straight",
          "overlay-padding": 6,
        },
      },
      { selector: ".absent", style: { display: "none" } },
      { selector: ".far", style: { opacity: 0.15 } },
      { selector: "node.near", style: { "min-zoomed-font-size": 0 } },
      { selector: "node.picked, node.found", style: { "border-color": colour("--accent"), "border-width": 3, "min-zoomed-font-size": 0 } },
      { selector: "edge.picked", style: { "line-color": colour("--accent"), "line-opacity": 1 } },
    ]);
  }

  // Widths in pixels, as in the still picture: proportional to strength, down to the thinnest.
  function widthOf(weight) {
    const strength = value(weight);
    if (Number.isNaN(strength)) return 2;
    if (strength <= 0) return 0.9;
    return content.scale ? Math.max(0.9, 6.7 * Math.min(strength / content.scale, 1)) : 6.7;
  }

  function drawEdges() {
    const here = new Set(stops[state.stop].pairs);
    cy.batch(() => {
      for (const [pair, edge] of drawn) edge.toggleClass("absent", !here.has(pair));
      const missing = [...here].filter((pair) => !drawn.has(pair));
      for (const pair of missing) {
        const [source, target, confidence] = pairs[pair];
        const opacity = confidence === null ? 1 : 0.2 + 0.8 * confidence;
        const data = { id: `e${pair}`, pair, source: `n${source}`, target: `n${target}`, opacity };
        drawn.set(pair, cy.add({ data: { ...data, width: 1, line: "solid" } }));
      }
      stops[state.stop].pairs.forEach((pair, at) => {
        const weight = stops[state.stop].weights[at];
        const line = weight === null && content.scale ? "dashed" : "solid";
        drawn.get(pair).data({ width: widthOf(weight), line });
      });
    });
    highlight(state.selected);
  }

  // Places fill the frame, stretched a little if that helps; sizes stay those of the screen.
  function arrange() {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    const rim = { x: Math.min(120, width / 6), y: 44 };
    const range = (key) => {
      const all = nodes.map((node) => node[key]);
      return [Math.min(...all), Math.max(...all)];
    };
    const [[left, right], [bottom, top]] = [range("x"), range("y")];
    const across = right > left ? (width - 2 * rim.x) / (right - left) : Infinity;
    const along = top > bottom ? (height - 2 * rim.y) / (top - bottom) : Infinity;
    const unitLength = Math.min(across, along, 220);
    const scale = { x: Math.min(across, 1.4 * unitLength), y: Math.min(along, 1.4 * unitLength) };
    const room = Math.sqrt((width * height) / Math.max(nodes.length, 1));
    const size = Math.min(22, Math.max(7, 0.13 * room));
    const places = nodes.map((node) => ({
      x: width / 2 + (node.x - (left + right) / 2) * scale.x,
      y: height / 2 - (node.y - (top + bottom) / 2) * scale.y,
    }));
    const sides = labelSides(places, size);
    cy.batch(() => {
      nodes.forEach((_, at) => {
        const { along: valign, across: halign, x, y } = sides[at];
        const data = { size, valign, halign, right: 4 * x, down: 3 * y, font: fontSize() };
        cy.getElementById(`n${at}`).data(data).position(places[at]);
      });
    });
    cy.reset();
  }

  // Each label in turn, the longest first, stands on the side of its node where it covers least.
  const SIDES = [
    { along: "bottom", across: "center", x: 0, y: 1 },
    { along: "top", across: "center", x: 0, y: -1 },
    { along: "center", across: "right", x: 1, y: 0 },
    { along: "center", across: "left", x: -1, y: 0 },
  ];

  function labelSides(places, size) {
    const lines = stops[content.chosen].pairs.map((pair) => pairs[pair].slice(0, 2).map((at) => places[at]));
    const sides = nodes.map(() => SIDES[0]);
    if (crowded) return sides;
    const taken = places.map(({ x, y }) => ({ x, y, wide: size, high: size }));
    const order = nodes.map((_, at) => at).sort((a, b) => nodes[b].label.length - nodes[a].label.length);
    for (const at of order) {
      const boxes = SIDES.map(({ x, y }) => {
        const [wide, high] = [0.58 * fontSize() * nodes[at].label.length, 1.2 * fontSize()];
        const away = { x: (size + wide) / 2 + 4, y: (size + high) / 2 + 2 };
        return { x: places[at].x + x * away.x, y: places[at].y + y * away.y, wide, high };
      });
      const costs = boxes.map((box, preference) => 0.3 * preference + covered(box, taken, lines));
      const best = costs.indexOf(Math.min(...costs));
      sides[at] = SIDES[best];
      taken.push(boxes[best]);
    }
    return sides;
  }

  // How much a box covers: other boxes, points along lines, and what lies outside of the frame.
  function covered(box, boxes, lines) {
    const inside = (x, y, wide = 0, high = 0) =>
      2 * Math.abs(x - box.x) < box.wide + wide && 2 * Math.abs(y - box.y) < box.high + high;
    const hit = boxes.filter((other) => inside(other.x, other.y, other.wide, other.high)).length;
    let points = 0;
    for (const [start, end] of lines) {
      for (let step = 0; step <= 40; step += 1) {
        const part = step / 40;
        if (inside(start.x + part * (end.x - start.x), start.y + part * (end.y - start.y))) points += 1;
      }
    }
    const outside = box.x < box.wide / 2 || box.x > canvas.clientWidth - box.wide / 2;
    return 8 * hit + points + (outside ? 20 : 0);
  }

  function highlight(what) {
    cy.batch(() => {
      cy.elements().removeClass("far near picked");
      if (!what) return;
      const picked = cy.getElementById(what.node === undefined ? `e${what.edge}` : `n${what.node}`);
      if (picked.empty() || picked.hasClass("absent")) return;
      const near = picked.isNode()
        ? picked.union(picked.connectedEdges().not(".absent").connectedNodes()).union(picked.connectedEdges())
        : picked.union(picked.connectedNodes());
      cy.elements().not(near).addClass("far");
      near.addClass("near");
      picked.addClass("picked");
    });
  }

  // --- What is selected -------------------------------------------------------------------------

  const details = find("details");

  function select(what) {
    state.selected = what;
    highlight(what);
    markRow();
    tell();
  }

  function tell() {
    const { selected } = state;
    if (!selected) {
      details.replaceChildren(
        make("h3", {}, "Nothing is selected"),
        make("p", {}, "Select a variable for its neighbours, or an edge, here or in the table, for why it is there. Escape clears."),
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
    const blanket = around.length
      ? `Its Markov blanket at ${lambdaHere()}, ${counted(around.length, "neighbour")}: once they are known, the other variables tell no more about it. Strengths in ${unit}.`
      : `It has no edge at ${lambdaHere()}.`;
    const entries = around.map((edge) => ({
      node: edge.source === node ? edge.target : edge.source,
      edge: edge.pair,
      text: format(edge.weight),
    }));
    details.replaceChildren(make("h3", {}, nameOf(node)), make("p", {}, kind + blanket), buttonsFor(entries));
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

  // --- Slider and search ------------------------------------------------------------------------

  const slider = find("stop");
  const wayOf = () => (content.given ? "given" : "chosen");

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
    const found = nodes.flatMap((node, at) => (wanted && node.name.toLowerCase().includes(wanted) ? [at] : []));
    cy.batch(() => {
      cy.nodes().removeClass("found");
      for (const at of found) cy.getElementById(`n${at}`).addClass("found");
    });
    const more = found.length > MOST_MATCHES ? `; the first ${MOST_MATCHES} are listed` : "";
    find("matching").textContent = wanted ? `${found.length} of ${counted(nodes.length, "variable")}${more}` : "";
    find("matches").replaceChildren(...buttonsFor(found.slice(0, MOST_MATCHES).map((node) => ({ node }))).children);
    return found;
  }

  function clear() {
    find("search").value = "";
    search();
    select(null);
  }

  // --- Wiring -----------------------------------------------------------------------------------

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
    select({ edge: Number(row.dataset.pair) });
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
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
  addEventListener("beforeprint", () => show(content.chosen)); // as in the still picture
  new ResizeObserver(() => {
    cy.resize();
    arrange();
  }).observe(canvas);

  arrange();
  dress();
  show(content.chosen);
})();
