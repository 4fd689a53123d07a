const net = JSON.parse(document.getElementById("data").textContent);
const n = net.names.length, half = net.height.map(h => h / 2);
const canvas = document.querySelector("canvas");
let pen = canvas.getContext("2d");
const tip = document.getElementById("tip"), input = document.querySelector("input");
const found = document.getElementById("found"), facts = document.getElementById("facts");

// A path that can be painted, and written.
const curve = d => Object.assign(new Path2D(d), { d });

// ---- the graph: parents and children of every box, curves of arcs with the room they take
const parents = net.names.map(() => []), children = net.names.map(() => []);
const arcs = net.arcs.map(([from, to, loose, path, width, opacity = 1, shade, sure, either], i) => {
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
  const mark = net.differences?.marks[i];
  return { mark, from, to, loose, straight, x0, y0, x1, y1, width, opacity, shade, sure, either, path: curve(path), tip };
});
const isWeighted = arcs.some(a => a.width), strength = new Map(arcs.map(a => [a.from + " " + a.to, a]));
function sureText(from, to) {
  const arc = strength.get(from + " " + to) ?? strength.get(to + " " + from);
  if (arc?.mark) return ` (${net.differences.words[arc.mark]})`;
  if (!arc?.width) return "";
  return arc.loose || arc.sure === arc.either ? ` (${arc.either.toFixed(2)})` : ` (${arc.sure.toFixed(2)}/${arc.either.toFixed(2)})`;
}
// Arcs between clusters are drawn for a chosen variable only; links of the frames stand for them.
function isInside(arc) { return !net.clusters || net.clusters.of[arc.from] === net.clusters.of[arc.to]; }
// Arcs of a smaller probability and links of a smaller share are hidden.
let least = 0;
const whole = curve(arcs.filter(isInside).map(arc => arc.path.d).join(""));
const screened = new Set(net.screened);
let [left, top_, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
const reach = (x0, y0, x1, y1) => {
  left = Math.min(left, x0); top_ = Math.min(top_, y0); right = Math.max(right, x1); bottom = Math.max(bottom, y1);
};
for (let v = 0; v < n; v++)
  reach(net.x[v] - net.width[v] / 2, net.y[v] - half[v], net.x[v] + net.width[v] / 2, net.y[v] + half[v]);
for (const arc of arcs) reach(arc.x0, arc.y0, arc.x1, arc.y1);
reachFrames();

// ---- colours follow the viewer's scheme
let ink = {};
const scheme = matchMedia("(prefers-color-scheme: dark)");
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "ink", "arc", "head", "box", "border", "line", "panel", "chosen", "parent", "child", "spouse", "ontop",
    "added", "missing", "reversed", "one-sided"])
    ink[name] = style.getPropertyValue("--" + name).trim();
}
scheme.addEventListener("change", () => { readColours(); draw(); });

// ---- what is chosen: the variable, and the part that each other one plays in its Markov blanket
let chosen = -1, over = -1, role = new Map();
function choose(v, move) {
  chosen = v;
  role = new Map(); forgetNames();
  document.body.classList.toggle("chosen", v >= 0);
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
// Pixels around the whole network.
const EDGE = 20;
const fitScale = () => Math.min((wide - 2 * EDGE) / (right - left), (high - 2 * EDGE) / (bottom - top_));
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
  if (!canvas.clientWidth) return;
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
  frames(x0, y0, x1, y1);
  const near = arcs.filter(a => (a.either ?? 1) >= least && a.x1 >= x0 && a.x0 <= x1 && a.y1 >= y0 && a.y0 <= y1
    && !(a.straight && passesBy(a.straight, x0, y0, x1, y1)));
  const all = net.clusters ? near.filter(isInside) : near, seen = all.filter(a => !a.mark);
  const line = Math.max(1.2, 0.7 / scale), faint = chosen >= 0 ? 0.22 : 1;
  const thin = faint * Math.min(1, Math.max(0.55, scale * 2.5));
  pen.globalAlpha = thin;
  pen.strokeStyle = ink.arc; pen.lineWidth = line;
  if (!isWeighted && !net.differences && seen.length > 1500 && seen.length > 0.7 * arcs.length) pen.stroke(whole);
  else for (const a of seen) {
    pen.globalAlpha = thin * a.opacity; pen.lineWidth = a.width ? Math.max(a.width, 0.4 * line) : line; pen.stroke(a.path);
  }
  pen.globalAlpha = faint;
  if (scale > 0.22) heads(seen, ink.head, 1);
  differences(all.filter(a => a.mark), line);
  boxes(x0, y0, x1, y1); frameTitles();
  if (chosen >= 0) {
    for (const name of ["spouse", "child", "parent"]) {
      const own = near.filter(a => !a.mark && roleOf(a) === name);
      pen.strokeStyle = ink[name];
      for (const a of own) { pen.globalAlpha = a.opacity; pen.lineWidth = a.width || Math.max(2, 1.4 / scale); pen.stroke(a.path); }
      pen.globalAlpha = 1;
      heads(own, ink[name], Math.max(1.25, 0.7 / scale));
    }
    differences(near.filter(a => a.mark && roleOf(a)), line);
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
  const round = scale > 0.35, written = scale * 12 >= legible, large = [], line = Math.max(1.1, 0.5 / scale);
  pen.textAlign = "center"; pen.textBaseline = "middle";
  for (let v = 0; v < n; v++) {
    const part = role.get(v), w = net.width[v], x = net.x[v], y = net.y[v];
    if (!!part !== marked || x + w / 2 < x0 || x - w / 2 > x1 || y + half[v] < y0 || y - half[v] > y1) continue;
    pen.globalAlpha = chosen >= 0 && !part ? 0.35 : 1;
    pen.fillStyle = part ? ink[part] : screened.has(v) ? ink.ground : ink.box; pen.strokeStyle = part ? ink[part] : ink.border;
    pen.lineWidth = line; pen.beginPath();
    round ? pen.roundRect(x - w / 2, y - half[v], w, 2 * half[v], 5) : pen.rect(x - w / 2, y - half[v], w, 2 * half[v]);
    if (screened.has(v)) pen.setLineDash([4, 3]);
    pen.fill(); pen.stroke(); pen.setLineDash([]);
    if (v === over && !part) { pen.lineWidth = 2.4; pen.stroke(); }
    if (findings.has(v)) { pen.lineWidth = 3; pen.strokeStyle = ink.chosen; pen.stroke(); }
    const size = sizeOf(v);
    if (size) large.push([v, part, size / scale]);
    else if (written) {
      pen.font = typeface(12);
      pen.fillStyle = part ? ink.ontop : ink.ink;
      pen.fillText(net.labels[v], x, net.boxes ? y - half[v] + net.boxes.head / 2 : y + 0.5);
    }
    if (net.boxes) bars(v, x - w / 2, y - half[v] + net.boxes.head, w, written);
  }
  for (const [v, part, size] of large) {
    const [x0, y0, x1, y1] = spots[v].place(size);
    pen.globalAlpha = chosen >= 0 && !part ? 0.35 : 1; pen.lineWidth = 1 / scale; pen.font = typeface(size);
    pen.fillStyle = ink[part ?? "box"]; pen.strokeStyle = ink[findings.has(v) ? "chosen" : part ?? "border"];
    if (screened.has(v)) pen.setLineDash([4 / scale, 3 / scale]);
    if (!net.boxes || x1 - x0 > net.width[v] || y1 - y0 > 1.25 * net.boxes.head) {
      pen.beginPath(); pen.roundRect(x0, y0, x1 - x0, y1 - y0, 3 / scale); pen.fill(); pen.stroke();
    }
    pen.setLineDash([]);
    pen.fillStyle = ink[part ? "ontop" : "ink"]; pen.fillText(net.labels[v], net.x[v], (y0 + y1) / 2);
  }
  pen.globalAlpha = 1;
}

