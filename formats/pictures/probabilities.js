// ---- probabilities: bars in boxes, in the panel, tables; findings set by a click
const given = net.probabilities, findings = new Map(), canAnswer = !!given?.order;
const sizes = given?.marginals.map(row => row.length);
// What is known given the findings: distributions, where they were asked for; the logarithm of the probability of the
// findings; the cells that the last answer takes.
let marginals = given?.marginals, chance = 0, cells = 0;
const percent = share => (100 * share).toFixed(1) + " %";
// The bars of a box, each of some states: of the most probable ones in their order, and of the others as one; none where
// the answer is not known.
function barsOf(v) {
  const own = marginals[v] ?? [], all = own.map((_, state) => state), likely = all.slice().sort((a, b) => own[b] - own[a] || a - b);
  const alone = new Set(own.length > net.boxes.most ? likely.slice(0, net.boxes.most - 1) : all);
  const rest = all.filter(state => !alone.has(state)), each = all.filter(state => alone.has(state)).map(state => [state]);
  return rest.length ? [...each, rest] : each;
}
function bars(v, left, top, width, written) {
  const { row, edge, share, start, labels } = net.boxes, x = left + start[v], room = left + width - edge - share - x;
  const drawn = barsOf(v);
  pen.fillStyle = ink.ground; pen.fillRect(left + 2, top, width - 4, 2 * half[v] - net.boxes.head - 2);
  pen.font = typeface(10);
  drawn.forEach((states, i) => {
    const value = states.reduce((sum, state) => sum + marginals[v][state], 0), y = top + row * i;
    const label = states.length > 1 ? `${states.length} others` : labels[v][states[0]];
    pen.fillStyle = ink.line; pen.fillRect(x, y + 3, room, 9);
    pen.fillStyle = findings.has(v) && findings.get(v) === states[0] ? ink.chosen : ink.border; pen.fillRect(x, y + 3, room * value, 9);
    if (!written) return;
    pen.fillStyle = ink.ink;
    pen.textAlign = "left"; pen.fillText(label, left + edge, y + 8);
    pen.textAlign = "right"; pen.fillText(percent(value), left + width - edge, y + 8);
  });
  pen.textAlign = "center";
}
// The state whose bar is at a place of the drawing, if that bar is of one state; -1 elsewhere.
function stateAt(v, y) {
  const states = net.boxes && barsOf(v)[Math.floor((y - net.y[v] + half[v] - net.boxes.head) / net.boxes.row)];
  return states?.length === 1 ? states[0] : -1;
}
// Asks for variables given the findings; false if these are impossible.
function ask(wanted) {
  const found = findings.size ? answersOf({ ...given, sizes }, findings, wanted) : { marginals: given.marginals, log: 0, cells: 0 };
  if (found) ({ marginals, log: chance, cells } = found);
  return !!found;
}
// Asks for what is shown: all variables if boxes have bars, else the chosen one.
const askShown = () => ask(net.boxes ? given.order : chosen < 0 ? [] : [chosen]);
const tooLarge = () => cells > MOST_CELLS
  ? `The answer takes tables of ${number(cells)} cells, more than the ${number(MOST_CELLS)} of a page; bnsl query answers.` : "";
// A state is observed, or, if it is already, no longer.
function observe(v, state) {
  if (!canAnswer) return;
  const before = findings.get(v);
  if (before === state) findings.delete(v); else findings.set(v, state);
  const isPossible = askShown();
  if (!isPossible) { if (before === undefined) findings.delete(v); else findings.set(v, before); }
  showFindings(isPossible ? net.boxes ? tooLarge() : "" : `${net.names[v]} = ${net.states[v][state]} is impossible together with the findings.`);
  tell(); draw();
}
function release() { findings.clear(); ask([]); showFindings(""); tell(); draw(); }
function showFindings(said) {
  const panel = document.getElementById("findings");
  panel.hidden = !findings.size && !said;
  panel.replaceChildren(element("b", "Findings"));
  for (const [v, state] of findings) {
    const line = element("div", `${net.names[v]} = ${net.states[v][state]} `), link = element("button", "take back");
    link.className = "link"; link.onclick = () => observe(v, state);
    line.append(link); panel.append(line);
  }
  if (findings.size && !isNaN(chance)) panel.append(element("div", `probability of the findings: ${Number(Math.exp(chance).toPrecision(4))}`));
  if (findings.size > 1) { const all = element("button", "take all back"); all.className = "link"; all.onclick = release; panel.append(all); }
  if (said) panel.append(element("p", said));
}
function barList(v) {
  if (!marginals[v]) ask([v]);
  if (!marginals[v]) return element("p", tooLarge());
  const grid = element("div");
  grid.className = "bars";
  marginals[v].forEach((value, state) => {
    const seen = findings.get(v) === state, bar = element("span"), fill = element("i"), share = element("span", percent(value));
    bar.className = seen ? "bar seen" : "bar"; fill.style.width = 100 * value + "%"; bar.append(fill); share.className = "share";
    const row = element(canAnswer ? "button" : "div");
    row.append(element(seen ? "b" : "span", net.states[v][state]), bar, share);
    if (canAnswer) {
      row.onclick = () => observe(v, state); row.title = "Set or take back this finding";
      row.dataset.state = state; row.setAttribute("aria-pressed", seen);
    }
    grid.append(row);
  });
  return grid;
}
const MOST_ROWS = 200;
function tableOf(v) {
  const family = given.parents[v], table = element("table"), size = sizes[v], values = given.tables[v], head = element("tr");
  family.forEach(p => head.append(Object.assign(element("th", net.names[p]), { className: "key" })));
  net.states[v].forEach(state => head.append(element("th", state)));
  table.append(head);
  const count = values.length / size;
  for (let i = 0; i < Math.min(count, MOST_ROWS); i++) {
    const row = element("tr"), key = [];
    for (let at = i, k = family.length - 1; k >= 0; k--) { key.unshift(net.states[family[k]][at % sizes[family[k]]]); at = Math.floor(at / sizes[family[k]]); }
    key.forEach(state => row.append(Object.assign(element("th", state), { className: "key" })));
    for (let s = 0; s < size; s++) row.append(element("td", String(Number(values[i * size + s].toPrecision(4)))));
    table.append(row);
  }
  const all = element("details"), wide = element("div");
  wide.className = "wide"; wide.append(table);
  all.append(element("summary", family.length ? `Table given ${family.length} parent${family.length > 1 ? "s" : ""}` : "Table"), wide);
  if (count > MOST_ROWS) all.append(element("p", `the first ${MOST_ROWS} of ${number(count)} rows`));
  all.open = count <= 12;
  return all;
}

