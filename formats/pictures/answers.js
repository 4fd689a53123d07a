"use strict";
// ---- exact answers: buckets of an elimination order, added up and then informed from the last one down
// (Dechter 1999; the last step divides by what was sent up, as Jensen, Lauritzen and Olesen 1990 do).

// Most cells of the tables of one answer, which takes about a second.
const MOST_CELLS = 20e6;

// For each cell of a table over `scope` (the first variable varies fastest), its place in an array with these strides.
function placesOf(scope, sizes, strides, begin = 0) {
  let found = Int32Array.of(begin);
  for (const v of scope) {
    const step = strides.get(v) ?? 0, length = found.length, next = new Int32Array(length * sizes[v]);
    for (let s = 0; s < sizes[v]; s++) for (let i = 0; i < length; i++) next[s * length + i] = found[i] + s * step;
    found = next;
  }
  return found;
}
function stridesOf(scope, sizes) {
  const found = new Map();
  let step = 1;
  for (const v of scope) { found.set(v, step); step *= sizes[v]; }
  return found;
}

// The buckets for a question to a model {sizes, parents, tables, order}, each with the factors of its table, and the
// logarithm of what is observed entirely. The last axis of a model's table is that of its variable and varies fastest.
// Only what is asked for, what is observed and what lies above matters: the rest adds up to one (Shachter 1986).
function bucketsOf({ sizes, parents, tables, order }, evidence, wanted) {
  const needed = new Set([...evidence.keys(), ...wanted]), rank = [];
  for (const v of needed) for (const u of parents[v]) needed.add(u);
  const hidden = order.filter(v => needed.has(v) && !evidence.has(v));
  hidden.forEach((v, i) => { rank[v] = i; });
  const buckets = hidden.map(v => ({ variable: v, scope: new Set([v]), factors: [], above: null }));
  let log = 0, cells = 0;
  for (const v of needed) {
    const axes = [v, ...parents[v].slice().reverse()], strides = stridesOf(axes, sizes);
    const open = axes.filter(u => !evidence.has(u));
    const begin = axes.reduce((place, u) => place + (evidence.get(u) ?? 0) * strides.get(u), 0);
    if (!open.length) { log += Math.log(tables[v][begin]); continue; }
    const bucket = buckets[Math.min(...open.map(u => rank[u]))];
    for (const u of open) bucket.scope.add(u);
    bucket.factors.push([strides, tables[v], begin]);
  }
  for (const bucket of buckets) {
    bucket.scope = [...bucket.scope].sort((a, b) => rank[a] - rank[b]);
    const rest = bucket.scope.slice(1);
    if (rest.length) bucket.above = buckets[rank[rest[0]]];
    for (const u of rest) bucket.above.scope.add(u);
    bucket.message = stridesOf(rest, sizes);
    cells += bucket.scope.reduce((product, v) => product * sizes[v], 1);
  }
  return { buckets, log, cells };
}

// Distributions of the wanted variables given a map from observed variables to states, the logarithm of the probability
// of the evidence, and the cells that this takes: without answers if they are too many. Null if the probability is zero.
function answersOf(model, evidence, wanted) {
  const { sizes } = model, found = bucketsOf(model, evidence, wanted), { buckets, cells } = found, marginals = [];
  if (cells > MOST_CELLS) return { marginals, log: NaN, cells };
  const asked = new Set(buckets.filter(bucket => wanted.includes(bucket.variable)));
  for (const { above } of asked) if (above) asked.add(above);
  let log = found.log;
  for (const bucket of buckets) {
    const { variable, scope, factors, above, message } = bucket, size = sizes[variable];
    const table = new Float64Array(scope.reduce((product, v) => product * sizes[v], 1)).fill(1);
    for (const [strides, factor, begin] of factors) {
      const places = placesOf(scope, sizes, strides, begin);
      let largest = 0;
      for (let i = 0; i < places.length; i++) { table[i] *= factor[places[i]]; if (table[i] > largest) largest = table[i]; }
      if (largest < 1e-100) log += scaled(table);
    }
    const sent = new Float64Array(table.length / size);
    for (let j = 0, i = 0; j < sent.length; j++) for (let s = 0; s < size; s++) sent[j] += table[i++];
    log += scaled(sent);
    if (above) above.factors.push([message, sent, 0]);
    if (asked.has(bucket)) { bucket.table = table; bucket.sent = sent; }
    bucket.factors = null;
  }
  if (!(log > -Infinity)) return null;
  for (const bucket of buckets.reverse()) if (asked.has(bucket)) {
    const { table, sent, variable, above, message } = bucket, size = sizes[variable], row = new Array(size).fill(0);
    const told = above ? gathered(above.table, placesOf(above.scope, sizes, message), sent.length) : sent;
    let total = 0;
    for (let j = 0, i = 0; j < sent.length; j++) {
      const factor = sent[j] > 0 ? told[j] / sent[j] : 0;
      for (let s = 0; s < size; s++, i++) { table[i] *= factor; row[s] += table[i]; total += table[i]; }
    }
    marginals[variable] = row.map(value => value / total);
  }
  for (const v of wanted) if (evidence.has(v)) { marginals[v] = new Array(sizes[v]).fill(0); marginals[v][evidence.get(v)] = 1; }
  return { marginals, log, cells };
}
// Divides a table by its largest cell; the logarithm of that.
function scaled(table) {
  let largest = 0;
  for (let i = 0; i < table.length; i++) if (table[i] > largest) largest = table[i];
  for (let i = 0; i < table.length; i++) table[i] /= largest;
  return Math.log(largest);
}
function gathered(table, places, length) {
  const sums = new Float64Array(length);
  for (let i = 0; i < places.length; i++) sums[places[i]] += table[i];
  return sums;
}
