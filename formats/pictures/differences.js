// ---- arcs of two networks: those that differ have a colour and a dash of their own, which a legend explains
const DASHES = { added: [], missing: [8, 5], reversed: [10, 3, 2, 3], "one-sided": [2, 4] };
function differences(list, line) {
  for (const [mark, dash] of Object.entries(DASHES)) {
    const own = list.filter(a => a.mark === mark), colour = ink[mark];
    pen.strokeStyle = colour; pen.lineWidth = 1.8 * line; pen.setLineDash(dash);
    for (const a of own) pen.stroke(a.path);
    pen.setLineDash([]);
    if (scale > 0.22) heads(own, colour, 1.2);
  }
}
function markLegend() {
  const { marks, words } = net.differences, place = document.getElementById("differences");
  place.hidden = false;
  for (const [mark, text] of Object.entries(words)) {
    if (!marks.includes(mark)) continue;
    const dash = DASHES[mark]?.join(" ") ?? "", colour = `var(--${mark || "arc"})`;
    const row = place.appendChild(document.createElement("span"));
    row.innerHTML = `<svg width="44" height="10"><path d="M2,5h36" style="stroke: ${colour}" stroke-width="2" stroke-dasharray="${dash}"/></svg> `;
    row.append(text, document.createElement("br"));
  }
}
if (net.differences) markLegend();
