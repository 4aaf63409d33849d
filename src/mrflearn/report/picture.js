// The graph in a canvas: where nodes and labels stand, what edges look like, what is highlighted.
"use strict";

const canvas = find("canvas");
const crowded = nodes.length > 80;
const labelsFrom = nodes.length > 200 ? 24 : 15; // pixels that zooming must make of their height
const fontSize = () => (nodes.length > 40 || canvas.clientWidth < 500 ? 10.5 : 13);
const drawn = new Map(); // from pair to the edge of the picture

function styles() {
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(name).trim();
  return [
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
        "min-zoomed-font-size": crowded ? labelsFrom : 0,
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
        opacity: crowded ? 0.5 : 1,
        "overlay-padding": 6,
      },
    },
    { selector: ".absent", style: { display: "none" } },
    { selector: ".far", style: { opacity: 0.15 } },
    { selector: "node.far", style: { "text-opacity": crowded ? 0 : 1 } },
    { selector: "node.near", style: { "min-zoomed-font-size": 0 } },
    { selector: "edge.near", style: { opacity: 1 } },
    {
      selector: "node.picked, node.found",
      style: { "border-color": colour("--accent"), "border-width": 3, "min-zoomed-font-size": 0 },
    },
    { selector: "edge.picked", style: { "line-color": colour("--accent"), "line-opacity": 1 } },
  ];
}

// Widths in pixels, as in the still picture: proportional to strength, down to the thinnest.
function widthOf(weight) {
  const strength = value(weight);
  if (Number.isNaN(strength)) return 2;
  if (strength <= 0) return 0.9;
  return content.scale ? Math.max(0.9, 6.7 * Math.min(strength / content.scale, 1)) : 6.7;
}

const unsure = new Set(content.unsure);
const lookOf = (weight, pair) => ({
  width: widthOf(weight),
  line: (weight === null && content.scale) || (isChosen() && unsure.has(pair)) ? "dashed" : "solid",
});

function newEdge(pair, weight) {
  const [source, target, confidence] = pairs[pair];
  const opacity = confidence === null ? 1 : 0.2 + 0.8 * confidence;
  const ends = { source: `n${source}`, target: `n${target}` };
  return { data: { id: `e${pair}`, pair, ...ends, opacity, ...lookOf(weight, pair) } };
}

function drawEdges() {
  const { pairs: here, weights } = stops[state.stop];
  const present = new Set(here);
  const missing = [];
  cy.batch(() => {
    for (const [pair, edge] of drawn) edge.toggleClass("absent", !present.has(pair));
    here.forEach((pair, at) => {
      if (drawn.has(pair)) drawn.get(pair).data(lookOf(weights[at], pair));
      else missing.push(newEdge(pair, weights[at]));
    });
    cy.add(missing).forEach((edge) => drawn.set(edge.data("pair"), edge));
  });
  highlight(state.selected);
}

// Places fill the frame, stretched a little if that helps; sizes stay those of the screen.
function arrangement() {
  const [width, height] = [canvas.clientWidth || 600, canvas.clientHeight || 400];
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
  const font = fontSize();
  return labelSides(places, size).map(({ along: valign, across: halign, x, y }, at) => ({
    data: { size, valign, halign, right: 4 * x, down: 3 * y, font },
    position: places[at],
  }));
}

function arrange() {
  cy.batch(() => {
    arrangement().forEach(({ data, position }, at) =>
      cy.getElementById(`n${at}`).data(data).position(position),
    );
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
  const lines = stops[content.chosen].pairs.map((pair) =>
    pairs[pair].slice(0, 2).map((at) => places[at]),
  );
  const sides = nodes.map(() => SIDES[0]);
  if (crowded) return sides;
  const taken = places.map(({ x, y }) => ({ x, y, wide: size, high: size }));
  const order = nodes
    .map((_, at) => at)
    .sort((a, b) => nodes[b].mark.length - nodes[a].mark.length);
  for (const at of order) {
    const boxes = SIDES.map(({ x, y }) => {
      const [wide, high] = [0.58 * fontSize() * nodes[at].mark.length, 1.2 * fontSize()];
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
      if (inside(start.x + part * (end.x - start.x), start.y + part * (end.y - start.y)))
        points += 1;
    }
  }
  const outside = box.x < box.wide / 2 || box.x > canvas.clientWidth - box.wide / 2;
  return 8 * hit + points + (outside ? 20 : 0);
}

let lit = false; // whether anything is highlighted

function highlight(what) {
  if (!what && !lit) return;
  lit = Boolean(what);
  cy.batch(() => {
    cy.elements().removeClass("far near picked");
    if (!what) return;
    const picked = cy.getElementById(what.node === undefined ? `e${what.edge}` : `n${what.node}`);
    if (picked.empty() || picked.hasClass("absent")) return;
    const near = picked.isNode()
      ? picked
          .union(picked.connectedEdges().not(".absent").connectedNodes())
          .union(picked.connectedEdges())
      : picked.union(picked.connectedNodes());
    cy.elements().not(near).addClass("far");
    near.addClass("near");
    picked.addClass("picked");
  });
}

// All that is known comes with the first elements: each later change would be styled once more.
const cy = cytoscape({
  container: canvas,
  elements: arrangement().map(({ data, position }, at) => ({
    data: { id: `n${at}`, at, label: nodes[at].mark, ...looks[nodes[at].kind], ...data },
    position,
  })),
  layout: { name: "preset", fit: false },
  autoungrabify: true,
  boxSelectionEnabled: false,
  userZoomingEnabled: false, // the wheel scrolls the page; with Ctrl, or by pinching, it zooms
  minZoom: 0.5,
  maxZoom: 8,
  style: styles(),
});
