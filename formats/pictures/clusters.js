// ---- clusters of a large network: frames with titles, links between them
const clusters = net.clusters, links = clusters ? clusters.links.map(([upper, lower, count, share, path, width]) =>
  ({ upper, lower, count, share, path: curve(path), width })) : [];
// From this scale on, a frame is entered: its boxes are seen, not it as a whole.
const ENTERED = 0.3;
// The frames, those of most variables first; a title has a line of its own above the boxes and may pass its frame.
const titled = clusters ? clusters.titles.map((title, c) => {
  const left = clusters.x[c] - clusters.width[c] / 2, top = clusters.y[c] - clusters.height[c] / 2;
  const place = size => {
    const bottom = top + 1.4 * clusters.size;
    return [left, bottom - 1.2 * size, left + (lengthOf(title, "bold ") + 0.8) * size, bottom];
  };
  return { c, place, corners: [left, top, left + clusters.width[c], top + clusters.height[c]] };
}).sort((a, b) => groups[b.c].length - groups[a.c].length) : [];
function reachFrames() {
  if (!net.clusters) return;
  const { x, y, width, height } = net.clusters;
  x.forEach((_, c) => reach(x[c] - width[c] / 2, y[c] - height[c] / 2, x[c] + width[c] / 2, y[c] + height[c] / 2));
}
function frames(x0, y0, x1, y1) {
  if (!clusters) return;
  const { width, height } = clusters;
  pen.strokeStyle = ink.arc; pen.globalAlpha = chosen >= 0 ? 0.2 : 0.6;
  for (const link of links) if (link.share >= least) { pen.lineWidth = link.width; pen.stroke(link.path); }
  pen.globalAlpha = 1; pen.strokeStyle = ink.line; pen.lineWidth = Math.max(1.5, 1 / scale);
  for (const { c, corners: [left, top, right, bottom] } of titled) {
    if (left > x1 || right < x0 || top > y1 || bottom < y0) continue;
    pen.fillStyle = ink.panel; pen.beginPath(); pen.rect(left, top, width[c], height[c]); pen.fill(); pen.stroke();
  }
}
function frameTitles() {
  if (!clusters) return;
  const natural = Math.min(clusters.size, 40 / scale), sizes = atThisScale(titled, () => sizesOf(titled, natural * scale));
  pen.textAlign = "left"; pen.textBaseline = "alphabetic";
  for (const frame of titled) {
    const letters = sizes.has(frame) ? sizes.get(frame) / scale : natural;
    if (letters * scale < legible) continue;
    const [x0, y0, x1, y1] = frame.place(letters);
    if (sizes.has(frame)) { pen.fillStyle = ink.panel; pen.globalAlpha = 0.85; pen.fillRect(x0, y0, x1 - x0, y1 - y0); pen.globalAlpha = 1; }
    pen.font = typeface(letters, "bold "); pen.fillStyle = ink.ink;
    pen.fillText(clusters.titles[frame.c], x0 + letters / 2, frame.corners[1] + 1.2 * clusters.size);
  }
}
function frameAt(x, y) {
  const wx = (x - shiftX) / scale, wy = (y - shiftY) / scale;
  return clusters ? clusters.x.findIndex((middle, c) => Math.abs(wx - middle) < clusters.width[c] / 2 && Math.abs(wy - clusters.y[c]) < clusters.height[c] / 2) : -1;
}
function enter(c) {
  scale = Math.min(1.2, 0.95 * Math.min(wide / clusters.width[c], high / clusters.height[c]));
  shiftX = wide / 2 - clusters.x[c] * scale; shiftY = high / 2 - clusters.y[c] * scale;
  draw();
}
