// ---- pointer and keys
function at(x, y) {
  const wx = (x - shiftX) / scale, wy = (y - shiftY) / scale, slack = Math.min(8, 3 / scale);
  for (let v = 0; v < n; v++) {
    if (Math.abs(wx - net.x[v]) > 150 / scale || Math.abs(wy - net.y[v]) > half[v] + 20 / scale || !sizeOf(v)) continue;
    const [x0, y0, x1, y1] = spots[v].place(sizeOf(v) / scale);
    if (wx > x0 && wx < x1 && wy > y0 && wy < y1) return v;
  }
  for (let v = n - 1; v >= 0; v--)
    if (Math.abs(wx - net.x[v]) <= net.width[v] / 2 + slack && Math.abs(wy - net.y[v]) <= half[v] + slack) return v;
  return -1;
}
function click(x, y) {
  rest(-1); isSilent = true;
  const v = at(x, y), state = v >= 0 && canAnswer ? stateAt(v, (y - shiftY) / scale) : -1;
  if (state >= 0) observe(v, state);
  else if (clusters && scale < ENTERED) { const c = frameAt(x, y); if (c >= 0) enter(c); else choose(-1); }
  else choose(v);
}
const down = new Map();
// After a click a box tells nothing until the pointer has left it.
let travelled = 0, isSilent = false;
const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
canvas.addEventListener("pointerdown", event => {
  canvas.setPointerCapture(event.pointerId); down.set(event.pointerId, place(event)); travelled = 0;
});
canvas.addEventListener("pointermove", event => {
  const [x, y] = place(event), before = down.get(event.pointerId);
  if (!before) {
    const v = at(x, y);
    if (v !== over) { over = v; isSilent = false; draw(); }
    if (!isSilent) rest(v, x, y);
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
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
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

// ---- begin; a name behind # in the address is chosen, also while the page is open
document.getElementById("legend").hidden = !isWeighted;
const loose = arcs.filter(arc => arc.loose && arc.mark !== "one-sided").length;
document.getElementById("loose").hidden = !loose;
document.getElementById("undecided").textContent = loose;
document.getElementById("screened").hidden = !screened.size;
document.getElementById("note").textContent = !given ? net.absent : canAnswer
  ? `Click a state${net.boxes ? " in a box or here" : " of a chosen variable"} to set it as a finding; again to take it back.` : given.note;
const slider = document.getElementById("least");
document.getElementById("weak").hidden = !isWeighted && !clusters;
slider.addEventListener("input", () => {
  least = +slider.value;
  document.getElementById("leastText").textContent = isWeighted ? `arcs below ${least.toFixed(2)} hidden` : `links below ${percent(least)} of the strongest hidden`;
  draw();
});
document.getElementById("framed").hidden = !clusters;
if (clusters?.omitted) document.getElementById("omitted").textContent = ` ${clusters.omitted} weaker links are left out.`;
readColours();
new ResizeObserver(resize).observe(canvas);
resize();
function chooseNamed() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* a name with a per cent sign that encodes nothing */ }
  const v = net.names.indexOf(name);
  choose(v, v >= 0);
}
addEventListener("hashchange", chooseNamed);
chooseNamed();
