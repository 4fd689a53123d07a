// ---- clusters of a large network: frames with titles, links between them
const clusters = net.clusters, links = clusters ? clusters.links.map(([upper, lower, count, share, path, width]) =>
  ({ upper, lower, count, share, path: new Path2D(path), width })) : [];
function reachFrames() {
  if (!net.clusters) return;
  const { x, y, width, height } = net.clusters;
  x.forEach((_, c) => reach(x[c] - width[c] / 2, y[c] - height[c] / 2, x[c] + width[c] / 2, y[c] + height[c] / 2));
}
function frames(x0, y0, x1, y1) {
  if (!clusters) return;
  const { x, y, width, height, titles, size } = clusters;
  pen.strokeStyle = ink.arc; pen.globalAlpha = chosen >= 0 ? 0.2 : 0.6;
  for (const link of links) if (link.share >= least) { pen.lineWidth = link.width; pen.stroke(link.path); }
  pen.globalAlpha = 1; pen.textAlign = "left"; pen.textBaseline = "alphabetic";
  const letters = Math.max(Math.min(size, 40 / scale), 11 / scale);
  pen.font = `bold ${letters}px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif`;
  titles.forEach((title, c) => {
    const left = x[c] - width[c] / 2, top = y[c] - height[c] / 2;
    if (left > x1 || left + width[c] < x0 || top > y1 || top + height[c] < y0) return;
    pen.fillStyle = ink.panel; pen.strokeStyle = ink.line; pen.lineWidth = Math.max(1.5, 1 / scale);
    pen.beginPath(); pen.rect(left, top, width[c], height[c]); pen.fill(); pen.stroke();
    let shown = title;
    while (shown && pen.measureText(shown).width > width[c] - size) shown = shown.slice(0, -1);
    pen.fillStyle = ink.ink; pen.fillText(shown, left + size / 2, top + Math.max(1.2 * size, letters));
  });
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
