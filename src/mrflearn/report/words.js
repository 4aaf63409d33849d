// What the page shows, and words and numbers for it. The files are scripts of one page, in the
// order words, table, picture, report, after early.js in the head: each uses names of those before it, and functions of all.
// Text of the user reaches the page through textContent and attributes alone, never as HTML.
"use strict";

const find = (id) => document.getElementById(id);
const content = JSON.parse(find("content").textContent);
const { nodes, pairs, stops, tests, looks, unit } = content;
const state = { stop: content.chosen, selected: null, key: "weight", descending: true };

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
const wayOf = () => (content.given ? "given" : "chosen");
const lambdaHere = () => `lambda ${format(stops[state.stop].lam)}`;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, text] of Object.entries(attributes)) element.setAttribute(name, text);
  element.append(...children);
  return element;
}

const nameOf = (node) => make("bdi", { title: nodes[node].name }, nodes[node].label);
