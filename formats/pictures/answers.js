"use strict";
// ---- exact answers: buckets of an elimination order, added up and then informed from the last one down
// (Dechter 1999; the last step divides by what was sent up, as Jensen, Lauritzen and Olesen 1990 do).

// For each cell of a table over `scope` (the first variable varies fastest), its place in an array with these strides.
function placesOf(scope, sizes, strides) {
  let found = new Int32Array(1);
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

// The buckets of a model {sizes, parents, tables, order}, each with the product of its tables; the last axis of a table
// is that of its variable and varies fastest.
function bucketsOf({ sizes, parents, tables, order }) {
  const rank = [];
  order.forEach((v, i) => { rank[v] = i; });
  const buckets = order.map(v => ({ variable: v, scope: new Set([v]), tables: [], above: null }));
  parents.forEach((family, v) => {
    const axes = [v, ...family.slice().reverse()], bucket = buckets[Math.min(...axes.map(u => rank[u]))];
    for (const u of axes) bucket.scope.add(u);
    bucket.tables.push([stridesOf(axes, sizes), tables[v]]);
  });
  for (const bucket of buckets) {
    bucket.scope = [...bucket.scope].sort((a, b) => rank[a] - rank[b]);
    const rest = bucket.scope.slice(1);
    if (rest.length) bucket.above = buckets[rank[rest[0]]];
    for (const u of rest) bucket.above.scope.add(u);
    const product = new Float64Array(bucket.scope.reduce((cells, v) => cells * sizes[v], 1)).fill(1);
    for (const [strides, table] of bucket.tables) {
      const places = placesOf(bucket.scope, sizes, strides);
      for (let i = 0; i < places.length; i++) product[i] *= table[places[i]];
    }
    bucket.product = product;
  }
  for (const bucket of buckets)
    if (bucket.above) bucket.places = placesOf(bucket.above.scope, sizes, stridesOf(bucket.scope.slice(1), sizes));
  return buckets;
}

// Distribution of every variable given a map from observed variables to states, and the logarithm of the probability of
// the evidence; null if that is zero.
function answersOf(buckets, sizes, evidence) {
  let log = 0;
  for (const bucket of buckets) bucket.table = bucket.product.slice();
  for (const bucket of buckets) {
    const { table, variable, above, places } = bucket, size = sizes[variable], state = evidence.get(variable);
    const sent = new Float64Array(table.length / size);
    let largest = 0;
    for (let j = 0, i = 0; j < sent.length; j++) {
      for (let s = 0; s < size; s++, i++) if (state === undefined || s === state) sent[j] += table[i]; else table[i] = 0;
      if (sent[j] > largest) largest = sent[j];
    }
    if (!(largest > 0)) return null;
    log += Math.log(largest);
    for (let i = 0; i < table.length; i++) table[i] /= largest;
    for (let i = 0; i < sent.length; i++) sent[i] /= largest;
    if (above) multiply(above.table, sent, places);
    bucket.sent = sent;
  }
  const marginals = [];
  for (const { table, variable, above, places, sent } of buckets.slice().reverse()) {
    const size = sizes[variable], found = new Array(size).fill(0);
    const told = above ? gathered(above.table, places, sent.length) : sent;
    let total = 0;
    for (let j = 0, i = 0; j < sent.length; j++) {
      const factor = sent[j] > 0 ? told[j] / sent[j] : 0;
      for (let s = 0; s < size; s++, i++) { table[i] *= factor; found[s] += table[i]; total += table[i]; }
    }
    marginals[variable] = found.map(value => value / total);
  }
  return { marginals, log };
}
function multiply(table, by, places) { for (let i = 0; i < places.length; i++) table[i] *= by[places[i]]; }
function gathered(table, places, length) {
  const sums = new Float64Array(length);
  for (let i = 0; i < places.length; i++) sums[places[i]] += table[i];
  return sums;
}
