// The edges at the lambda shown: as a table to sort and to walk through, and as a file to download.
"use strict";

const MOST_ROWS = 2000; // of the table; the file to download has all
const ROWS_AT_ONCE = 100; // the others follow when the browser has nothing else to do

// --- Edges at the lambda shown -------------------------------------------------------------------

function edgesHere() {
  const { pairs: here, weights } = stops[state.stop];
  return here.map((pair, at) => {
    const [source, target, confidence, entered] = pairs[pair];
    const [p, q] = (isChosen() && tests[pair]) || [null, null];
    return {
      pair,
      source,
      target,
      weight: weights[at],
      p_value: p,
      q_value: q,
      confidence,
      entered,
    };
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

// --- The table -----------------------------------------------------------------------------------

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

let waiting = []; // edges whose rows are still to come
let timer;

function rowOf(edge) {
  const row = make("tr", { tabindex: "-1", "data-pair": String(edge.pair) });
  row.append(...keys.map((key) => cell(edge, key)));
  return row;
}

function addRows(count = MOST_ROWS) {
  body.append(...waiting.splice(0, count).map(rowOf));
}

const [whenIdle, forget] = window.requestIdleCallback
  ? [window.requestIdleCallback, window.cancelIdleCallback]
  : [(work) => setTimeout(work, 200), clearTimeout];

function addRowsWhenIdle() {
  forget(timer);
  if (!waiting.length) return;
  timer = whenIdle(() => {
    addRows(ROWS_AT_ONCE);
    addRowsWhenIdle();
  });
}

function fillTable() {
  const edges = sorted(edgesHere());
  waiting = edges.slice(0, MOST_ROWS);
  body.replaceChildren();
  addRows(ROWS_AT_ONCE);
  addRowsWhenIdle();
  if (body.rows.length) body.rows[0].tabIndex = 0;
  for (const button of headings) {
    const order = state.descending ? "descending" : "ascending";
    button.parentElement.setAttribute(
      "aria-sort",
      button.dataset.key === state.key ? order : "none",
    );
  }
  const hidden = edges.length - MOST_ROWS;
  find("more").textContent =
    hidden > 0 ? `… and ${counted(hidden, "edge")} more: the file has all.` : "";
  find("edges-at").textContent = isChosen() ? `at the ${wayOf()} lambda` : `at ${lambdaHere()}`;
  find("download").disabled = !edges.length;
  markRow();
}

function markRow() {
  const pair = state.selected?.edge;
  if (waiting.some((edge) => edge.pair === pair)) addRows();
  body.querySelector("tr[aria-current]")?.removeAttribute("aria-current");
  const row = body.querySelector(`tr[data-pair="${pair}"]`);
  if (!row) return;
  row.setAttribute("aria-current", "true");
  const box = find("edges-box");
  const top = row.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 40) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

function moveAmongRows(event) {
  const row = event.target.closest("tr");
  if (event.key === "End" || !row.nextElementSibling) addRows();
  const moves = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: body.firstElementChild,
    End: body.lastElementChild,
  };
  if (event.key === "Enter" || event.key === " ") selectRow(row);
  else if (!moves[event.key]) return;
  else focusRow(moves[event.key]);
  event.preventDefault();
}

function focusRow(row) {
  for (const other of body.querySelectorAll("tr[tabindex='0']")) other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

// --- The file to download ------------------------------------------------------------------------

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
