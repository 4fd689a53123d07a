const net = JSON.parse(document.getElementById("data").textContent);
const n = net.names.length, half = net.height.map(h => h / 2);
const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
const tip = document.getElementById("tip"), input = document.querySelector("input");
const found = document.getElementById("found"), facts = document.getElementById("facts");

// ---- the graph: parents and children of every box, curves of arcs with the room they take
const parents = net.names.map(() => []), children = net.names.map(() => []);
const arcs = net.arcs.map(([from, to, loose, path, width, opacity = 1, shade, sure, either]) => {
  (loose ? children : parents)[to].push(from);
  children[from].push(to);
  const at = path.match(/-?[\d.]+/g).map(Number), last = at.length - 4;
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < at.length; i += 2) {
    x0 = Math.min(x0, at[i]); x1 = Math.max(x1, at[i]); y0 = Math.min(y0, at[i + 1]); y1 = Math.max(y1, at[i + 1]);
  }
  const turn = Math.atan2(at[last + 3] - at[last + 1], at[last + 2] - at[last]);
  const straight = at.length === 4 && at;
  // The line of an arc whose strength is known ends within its head.
  const on = width ? 9 * shade : 0, tip = [at[last + 2] + on * Math.cos(turn), at[last + 3] + on * Math.sin(turn), turn];
  return { from, to, loose, straight, x0, y0, x1, y1, width, opacity, shade, sure, either, path: new Path2D(path), tip };
});
const isWeighted = arcs.some(a => a.width), strength = new Map(arcs.map(a => [a.from + " " + a.to, a]));
function sureText(from, to) {
  const arc = strength.get(from + " " + to) ?? strength.get(to + " " + from);
  if (!arc?.width) return "";
  return arc.loose || arc.sure === arc.either ? ` (${arc.either.toFixed(2)})` : ` (${arc.sure.toFixed(2)}/${arc.either.toFixed(2)})`;
}
const whole = new Path2D();
for (const arc of arcs) whole.addPath(arc.path);
const screened = new Set(net.screened);
let [left, top_, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
const reach = (x0, y0, x1, y1) => {
  left = Math.min(left, x0); top_ = Math.min(top_, y0); right = Math.max(right, x1); bottom = Math.max(bottom, y1);
};
for (let v = 0; v < n; v++)
  reach(net.x[v] - net.width[v] / 2, net.y[v] - half[v], net.x[v] + net.width[v] / 2, net.y[v] + half[v]);
for (const arc of arcs) reach(arc.x0, arc.y0, arc.x1, arc.y1);

// ---- colours follow the viewer's scheme
let ink = {};
const scheme = matchMedia("(prefers-color-scheme: dark)");
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "ink", "arc", "head", "box", "border", "line", "chosen", "parent", "child", "spouse", "ontop"])
    ink[name] = style.getPropertyValue("--" + name).trim();
}
scheme.addEventListener("change", () => { readColours(); draw(); });

// ---- what is chosen: the variable, and the part that each other one plays in its Markov blanket
let chosen = -1, over = -1, role = new Map();
function choose(v, move) {
  chosen = v;
  role = new Map();
  if (v >= 0) {
    for (const child of children[v]) for (const p of parents[child]) role.set(p, "spouse");
    for (const child of children[v]) role.set(child, "child");
    for (const p of parents[v]) role.set(p, "parent");
    role.set(v, "chosen");
    if (move) centre(v);
  }
  tell(); draw();
}
function roleOf(arc) {
  if (!role.size) return "";
  if (arc.to === chosen) return arc.loose ? "child" : "parent";
  if (arc.from === chosen) return "child";
  return role.get(arc.to) === "child" && role.has(arc.from) ? "spouse" : "";
}

// ---- the view: screen = world * scale + shift
let scale = 1, shiftX = 0, shiftY = 0, wide = 0, high = 0, asked = false;
const clampScale = s => Math.max(Math.min(fitScale(), 0.2) / 2, Math.min(4, s));
const fitScale = () => Math.min((wide - 40) / (right - left), (high - 40) / (bottom - top_));
function fit() {
  scale = Math.max(0.001, Math.min(1.5, fitScale()));
  shiftX = (wide - (left + right) * scale) / 2; shiftY = (high - (top_ + bottom) * scale) / 2;
  draw();
}
function zoom(factor, x = wide / 2, y = high / 2) {
  const next = clampScale(scale * factor);
  shiftX = x - (x - shiftX) * next / scale; shiftY = y - (y - shiftY) * next / scale; scale = next;
  draw();
}
// The Markov blanket in sight, if its names can be read then; else the variable in the middle.
function centre(v) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const u of role.keys()) {
    x0 = Math.min(x0, net.x[u] - net.width[u]); x1 = Math.max(x1, net.x[u] + net.width[u]);
    y0 = Math.min(y0, net.y[u] - half[u] - 24); y1 = Math.max(y1, net.y[u] + half[u] + 24);
  }
  const all = Math.min(wide / (x1 - x0), high / (y1 - y0)), [x, y] = all >= 0.5 ? [(x0 + x1) / 2, (y0 + y1) / 2] : [net.x[v], net.y[v]];
  scale = all >= 0.5 ? Math.min(1.2, all) : 0.9;
  shiftX = wide / 2 - x * scale; shiftY = high / 2 - y * scale;
}
function resize() {
  const first = !wide, ratio = devicePixelRatio || 1;
  wide = canvas.clientWidth; high = canvas.clientHeight;
  canvas.width = wide * ratio; canvas.height = high * ratio;
  if (first) fit();
  paint();
}
function draw() { if (!asked) { asked = true; requestAnimationFrame(paint); } }

// ---- painting: only what is in sight; all plain arcs in one stroke where most of them are
function paint() {
  asked = false;
  const ratio = devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = ink.ground; pen.fillRect(0, 0, wide, high);
  pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * shiftX, ratio * shiftY);
  const x0 = -shiftX / scale, y0 = -shiftY / scale, x1 = x0 + wide / scale, y1 = y0 + high / scale;
  const seen = arcs.filter(a => a.x1 >= x0 && a.x0 <= x1 && a.y1 >= y0 && a.y0 <= y1
    && !(a.straight && passesBy(a.straight, x0, y0, x1, y1)));
  const line = Math.max(1.2, 0.7 / scale), faint = chosen >= 0 ? 0.22 : 1;
  const thin = faint * Math.min(1, Math.max(0.55, scale * 2.5));
  pen.globalAlpha = thin;
  pen.strokeStyle = ink.arc; pen.lineWidth = line;
  if (!isWeighted && seen.length > 1500 && seen.length > 0.7 * arcs.length) pen.stroke(whole);
  else for (const a of seen) {
    pen.globalAlpha = thin * a.opacity; pen.lineWidth = a.width ? Math.max(a.width, 0.4 * line) : line; pen.stroke(a.path);
  }
  pen.globalAlpha = faint;
  if (scale > 0.22) heads(seen, ink.head, 1);
  boxes(x0, y0, x1, y1);
  if (chosen >= 0) {
    for (const name of ["spouse", "child", "parent"]) {
      const own = seen.filter(a => roleOf(a) === name);
      pen.strokeStyle = ink[name];
      for (const a of own) { pen.lineWidth = a.width || Math.max(2, 1.4 / scale); pen.stroke(a.path); }
      heads(own, ink[name], Math.max(1.25, 0.7 / scale));
    }
    boxes(x0, y0, x1, y1, true);
  }
}
function passesBy([ax, ay, bx, by], x0, y0, x1, y1) {
  const side = (x, y) => Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax)), first = side(x0, y0);
  return first && first === side(x1, y0) && first === side(x0, y1) && first === side(x1, y1);
}
function heads(list, colour, size) {
  const plain = pen.globalAlpha;
  pen.fillStyle = colour; pen.beginPath();
  for (const { loose, width, shade, tip: [x, y, turn] } of list) {
    if (loose) continue;
    const c = Math.cos(turn), s = Math.sin(turn), back = width ? 12 : 9 * size, side = width ? 4.5 + 0.3 * width : 3.6 * size;
    if (width) { pen.fill(); pen.beginPath(); pen.globalAlpha = plain * shade; }
    pen.moveTo(x, y); pen.lineTo(x - back * c - side * s, y - back * s + side * c);
    pen.lineTo(x - 0.75 * back * c, y - 0.75 * back * s); pen.lineTo(x - back * c + side * s, y - back * s - side * c);
  }
  pen.fill();
  pen.globalAlpha = plain;
}
function boxes(x0, y0, x1, y1, marked = false) {
  const round = scale > 0.35, written = scale * 12 >= 5.5;
  pen.font = '12px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif';
  pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineWidth = Math.max(1.1, 0.5 / scale);
  for (let v = 0; v < n; v++) {
    const part = role.get(v), w = net.width[v], x = net.x[v], y = net.y[v];
    if (!!part !== marked || x + w / 2 < x0 || x - w / 2 > x1 || y + half[v] < y0 || y - half[v] > y1) continue;
    pen.globalAlpha = chosen >= 0 && !part ? 0.35 : 1;
    pen.fillStyle = part ? ink[part] : screened.has(v) ? ink.ground : ink.box; pen.strokeStyle = part ? ink[part] : ink.border;
    pen.beginPath();
    round ? pen.roundRect(x - w / 2, y - half[v], w, 2 * half[v], 5) : pen.rect(x - w / 2, y - half[v], w, 2 * half[v]);
    if (screened.has(v)) pen.setLineDash([4, 3]);
    pen.fill(); pen.stroke(); pen.setLineDash([]);
    if (v === over && !part) { pen.lineWidth = 2.4; pen.stroke(); pen.lineWidth = Math.max(1.1, 0.5 / scale); }
    if (findings.has(v)) { pen.lineWidth = 3; pen.strokeStyle = ink.chosen; pen.stroke(); pen.lineWidth = Math.max(1.1, 0.5 / scale); }
    if (written) {
      pen.fillStyle = part ? ink.ontop : ink.ink;
      pen.fillText(net.labels[v], x, net.boxes ? y - half[v] + net.boxes.head / 2 : y + 0.5);
    }
    if (net.boxes) bars(v, x - w / 2, y - half[v] + net.boxes.head, w, written);
  }
  pen.globalAlpha = 1;
}

// ---- probabilities: bars in boxes, in the panel, tables; findings set by a click
const given = net.probabilities, findings = new Map(), canAnswer = !!given?.order;
const sizes = given?.marginals.map(row => row.length);
let buckets = null, marginals = given?.marginals, chance = 0;
const percent = share => (100 * share).toFixed(1) + " %";
function bars(v, left, top, width, written) {
  const { row, edge, share, start, labels } = net.boxes, x = left + start[v], room = left + width - edge - share - x;
  const font = pen.font, own = marginals[v], last = labels[v].length - 1;
  pen.fillStyle = ink.ground; pen.fillRect(left + 2, top, width - 4, row * labels[v].length + 2);
  pen.font = font.replace("12px", "10px");
  labels[v].forEach((label, i) => {
    const value = i === last ? own.slice(i).reduce((a, b) => a + b, 0) : own[i], y = top + row * i;
    pen.fillStyle = ink.line; pen.fillRect(x, y + 3, room, 9);
    pen.fillStyle = findings.get(v) === i ? ink.chosen : ink.border; pen.fillRect(x, y + 3, room * value, 9);
    if (!written) return;
    pen.fillStyle = ink.ink;
    pen.textAlign = "left"; pen.fillText(label, left + edge, y + 8);
    pen.textAlign = "right"; pen.fillText(percent(value), left + width - edge, y + 8);
  });
  pen.font = font; pen.textAlign = "center";
}
// The state whose bar is at a place of the drawing, if that bar is of one state; -1 elsewhere.
function stateAt(v, y) {
  const i = net.boxes ? Math.floor((y - net.y[v] + half[v] - net.boxes.head) / net.boxes.row) : -1, count = net.boxes?.labels[v].length;
  return i >= 0 && i < count && (i < count - 1 || count === sizes[v]) ? i : -1;
}
// A state is observed, or, if it is already, no longer.
function observe(v, state) {
  if (!canAnswer) return;
  const before = findings.get(v);
  if (before === state) findings.delete(v); else findings.set(v, state);
  buckets ??= bucketsOf({ sizes, parents: given.parents, tables: given.tables, order: given.order });
  const found = answersOf(buckets, sizes, findings);
  if (found) { marginals = found.marginals; chance = found.log; }
  else if (before === undefined) findings.delete(v);
  else findings.set(v, before);
  showFindings(found ? "" : `${net.names[v]} = ${net.states[v][state]} is impossible together with the findings.`);
  tell(); draw();
}
function release() { findings.clear(); marginals = given.marginals; showFindings(""); tell(); draw(); }
function showFindings(said) {
  const panel = document.getElementById("findings");
  panel.hidden = !findings.size && !said;
  panel.replaceChildren(element("b", "Findings"));
  for (const [v, state] of findings) {
    const line = element("div", `${net.names[v]} = ${net.states[v][state]} `), link = element("button", "take back");
    link.className = "link"; link.onclick = () => observe(v, state);
    line.append(link); panel.append(line);
  }
  if (findings.size) panel.append(element("div", `probability of the findings: ${Number(Math.exp(chance).toPrecision(4))}`));
  if (findings.size > 1) { const all = element("button", "take all back"); all.className = "link"; all.onclick = release; panel.append(all); }
  if (said) panel.append(element("p", said));
}
function barList(v) {
  const grid = element("div");
  grid.className = canAnswer ? "bars open" : "bars";
  marginals[v].forEach((value, state) => {
    const seen = findings.get(v) === state, bar = element("span"), fill = element("i"), share = element("span", percent(value));
    bar.className = seen ? "bar seen" : "bar"; fill.style.width = 100 * value + "%"; bar.append(fill); share.className = "share";
    for (const part of [element(seen ? "b" : "span", net.states[v][state]), bar, share]) {
      part.onclick = () => observe(v, state); part.title = canAnswer ? "Set or take back this finding" : "";
      grid.append(part);
    }
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

// ---- words: the panel, and what resting on a box tells
const element = (name, text = "") => Object.assign(document.createElement(name), { textContent: text });
const number = value => value.toLocaleString("en", { maximumFractionDigits: 2 });
function scoreText(v) {
  const score = net.scores[v];
  if (score === null) return "";
  const share = net.total ? ` (${number(100 * score / net.total)} % of the total)` : "";
  return `local score ${number(score)}${share}`;
}
const statesText = v => net.states[v]
  ? `${net.states[v].length} states: ${net.states[v].slice(0, 24).join(", ")}${net.states[v].length > 24 ? ", ..." : ""}` : "";
const screenedText = v => screened.has(v) ? "attached by screening" : "";
function list(title, colour, members) {
  if (!members.length) return;
  const head = element("h3", `${title} (${members.length})`), mark = element("i");
  mark.style.background = ink[colour]; head.prepend(mark); facts.append(head);
  members.forEach((v, i) => {
    const link = element("a", net.names[v]);
    link.onclick = () => choose(v, true);
    facts.append(link, colour === "parent" ? sureText(v, chosen) : colour === "child" ? sureText(chosen, v) : "", i < members.length - 1 ? ", " : "");
  });
}
function tell() {
  facts.replaceChildren();
  if (chosen < 0) return;
  facts.append(element("h2", net.names[chosen]));
  for (const text of [statesText(chosen), scoreText(chosen), screenedText(chosen)]) if (text) facts.append(element("p", text));
  if (marginals) {
    facts.append(element("h3", findings.size ? "Probabilities given the findings" : "Probabilities"), barList(chosen));
    if (given.tables) facts.append(tableOf(chosen));
  }
  const loose = new Set(arcs.filter(a => a.loose && (a.to === chosen || a.from === chosen)).map(a => a.to + a.from - chosen));
  list("Parents", "parent", parents[chosen]);
  list("Children", "child", children[chosen].filter(v => !loose.has(v)));
  list("Neighbours either way", "child", [...loose]);
  list("Children's other parents", "spouse", [...role].filter(([, part]) => part === "spouse").map(([v]) => v));
}
function rest(v, x, y) {
  tip.hidden = v < 0;
  canvas.classList.toggle("over", v >= 0);
  if (v < 0) return;
  const names = (list, sure) => list.slice(0, 12).map(u => net.names[u] + sure(u)).join(", ")
    + (list.length > 12 ? `, ... (${list.length})` : "") || "none";
  tip.replaceChildren(element("b", net.names[v]));
  for (const text of [`parents: ${names(parents[v], u => sureText(u, v))}`, `children: ${names(children[v], u => sureText(v, u))}`, statesText(v), scoreText(v), screenedText(v)])
    if (text) tip.append(element("div", text));
  tip.style.left = Math.max(4, Math.min(x + 14, wide - tip.offsetWidth - 6)) + "px";
  tip.style.top = (y + 18 + tip.offsetHeight > high ? Math.max(4, y - tip.offsetHeight - 10) : y + 18) + "px";
}

// ---- pointer and keys
function at(x, y) {
  const wx = (x - shiftX) / scale, wy = (y - shiftY) / scale, slack = Math.min(8, 3 / scale);
  for (let v = n - 1; v >= 0; v--)
    if (Math.abs(wx - net.x[v]) <= net.width[v] / 2 + slack && Math.abs(wy - net.y[v]) <= half[v] + slack) return v;
  return -1;
}
function click(x, y) {
  const v = at(x, y), state = v >= 0 && canAnswer ? stateAt(v, (y - shiftY) / scale) : -1;
  if (state >= 0) observe(v, state); else choose(v);
}
const down = new Map();
let travelled = 0;
const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
canvas.addEventListener("pointerdown", event => {
  canvas.setPointerCapture(event.pointerId); down.set(event.pointerId, place(event)); travelled = 0;
});
canvas.addEventListener("pointermove", event => {
  const [x, y] = place(event), before = down.get(event.pointerId);
  if (!before) {
    const v = at(x, y);
    if (v !== over) { over = v; draw(); }
    rest(v, x, y);
    return;
  }
  const others = [...down.entries()].filter(([id]) => id !== event.pointerId).map(([, spot]) => spot);
  travelled += Math.hypot(x - before[0], y - before[1]);
  down.set(event.pointerId, [x, y]);
  if (others.length) {
    const [ox, oy] = others[0], was = Math.hypot(before[0] - ox, before[1] - oy);
    zoom(Math.hypot(x - ox, y - oy) / Math.max(1, was), (x + ox) / 2, (y + oy) / 2);
  } else if (travelled > 4) {
    shiftX += x - before[0]; shiftY += y - before[1];
    canvas.classList.add("dragged"); rest(-1); draw();
  }
});
for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, event => {
  if (kind === "pointerup" && travelled <= 4) click(...place(event));
  down.delete(event.pointerId); canvas.classList.remove("dragged");
});
canvas.addEventListener("pointerleave", () => { over = -1; rest(-1); draw(); });
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  rest(-1);
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event));
}, { passive: false });
const deeds = { in: () => zoom(1.4), out: () => zoom(1 / 1.4), fit };
document.getElementById("zoom").addEventListener("click", event => deeds[event.target.dataset.do]?.());
addEventListener("keydown", event => {
  if (event.key === "Escape") { found.replaceChildren(); input.blur(); choose(-1); return; }
  if (event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
  if (event.key === "/") { event.preventDefault(); input.focus(); input.select(); }
  else if (event.key === "+" || event.key === "=") zoom(1.4);
  else if (event.key === "-") zoom(1 / 1.4);
  else if (event.key === "0") fit();
  else if (step) { shiftX += step[0]; shiftY += step[1]; draw(); }
});

// ---- search: names that begin with the text first, then those that contain it
let picked = 0;
function search() {
  const text = input.value.trim().toLowerCase();
  found.replaceChildren();
  picked = 0;
  if (!text) return;
  const hits = [];
  for (let v = 0; v < n; v++) {
    const where = net.names[v].toLowerCase().indexOf(text);
    if (where >= 0) hits.push([where > 0, net.names[v].length, v]);
  }
  hits.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  for (const [, , v] of hits.slice(0, 40)) {
    const item = element("li", net.names[v]);
    item.onpointerdown = event => { event.preventDefault(); take(v); };
    item.dataset.variable = v; found.append(item);
  }
  const note = hits.length > 40 ? `${hits.length - 40} more` : hits.length ? "" : "no variable has this in its name";
  if (note) found.append(Object.assign(element("li", note), { className: "note" }));
  mark();
}
const items = () => [...found.querySelectorAll("li[data-variable]")];
function mark() {
  items().forEach((item, i) => { item.classList.toggle("on", i === picked); if (i === picked) item.scrollIntoView({ block: "nearest" }); });
}
function take(v) { found.replaceChildren(); input.value = net.names[v]; input.blur(); choose(v, true); }
input.addEventListener("input", search);
input.addEventListener("focus", search);
input.addEventListener("blur", () => found.replaceChildren());
input.addEventListener("keydown", event => {
  const count = items().length;
  if (event.key === "ArrowDown") picked = (picked + 1) % Math.max(1, count);
  else if (event.key === "ArrowUp") picked = (picked + count - 1) % Math.max(1, count);
  else if (event.key === "Enter" && count) { take(+items()[picked].dataset.variable); return; }
  else return;
  event.preventDefault(); mark();
});

// ---- begin; a name behind # in the address is chosen at once
document.title = document.getElementById("title").textContent = net.title;
document.getElementById("about").textContent = net.about;
document.getElementById("legend").hidden = !isWeighted;
document.getElementById("loose").hidden = !arcs.some(arc => arc.loose);
document.getElementById("screened").hidden = !screened.size;
document.getElementById("note").textContent = !given ? "" : canAnswer
  ? `Click a state${net.boxes ? " in a box or here" : " of a chosen variable"} to set it as a finding; again to take it back.` : given.note;
readColours();
new ResizeObserver(resize).observe(canvas);
resize();
const wanted = net.names.indexOf(decodeURIComponent(location.hash.slice(1)));
if (wanted >= 0) choose(wanted, true);
