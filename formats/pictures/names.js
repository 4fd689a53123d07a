// ---- names where boxes are small: larger than their boxes, those of the most connected variables first
// Sizes in pixels of the window. Below the smallest, names that have room are larger; the others are written into their
// boxes as long as they are legible there.
const LARGEST = 11, SMALLEST = 8, GAP = 2;
let legible = 5.5;
const typeface = (size, bold = "") => `${bold}${size}px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif`;
const lengths = new Map();
function lengthOf(text, bold) {
  pen.font = typeface(100, bold);
  if (!lengths.has(bold + text)) lengths.set(bold + text, pen.measureText(text).width / 100);
  return lengths.get(bold + text);
}
// The size of each name that is larger than its box, as large as there is room. An item is a box or a frame: its corners,
// and where its name is in the drawing if letters have some size there. A name covers no other one, no part of a box with
// a name in it, and not the middle of any other;
// the first few may cover boxes if they must. All stay in the picture.
function sizesOf(items, natural) {
  const sizes = new Map(), placed = [], spared = natural >= legible ? 0 : 0.35;
  if (natural >= SMALLEST) return sizes;
  const cores = items.map(({ corners: [x0, y0, x1, y1] }) => {
    const across = spared * (x1 - x0), down = spared * (y1 - y0);
    return [x0 + across, y0 + down, x1 - across, y1 - down];
  });
  items.forEach((item, i) => {
    for (let size = LARGEST; size >= SMALLEST; size--) {
      const [x0, y0, x1, y1] = item.place(size / scale), gap = GAP / scale;
      const hit = box => box[0] < x1 + gap && box[2] > x0 - gap && box[1] < y1 && box[3] > y0;
      if (x0 < left - EDGE / scale || x1 > right + EDGE / scale || placed.some(hit)) continue;
      if (!(i < MOST_TOLD && size === SMALLEST) && cores.some((core, j) => j !== i && hit(core))) continue;
      placed.push([x0, y0, x1, y1]); sizes.set(item, size);
      return;
    }
  });
  return sizes;
}

// The boxes by cluster: names in different frames do not meet.
const groupOf = v => net.clusters ? net.clusters.of[v] : 0, groups = [], degree = v => parents[v].length + children[v].length;
const spots = net.names.map((_, v) => {
  const left = net.x[v] - net.width[v] / 2, top = net.y[v] - half[v], head = net.boxes ? net.boxes.head : 2 * half[v];
  const item = { v, corners: [left, top, left + net.width[v], top + 2 * half[v]] };
  item.place = size => {
    const across = (lengthOf(net.labels[v], "") + 0.8) * size / 2, high = 1.25 * size;
    const bottom = net.boxes ? top + head : net.y[v] + high / 2;
    return [net.x[v] - across, bottom - high, net.x[v] + across, bottom];
  };
  (groups[groupOf(v)] ??= []).push(item);
  return item;
});
for (const group of groups) group.sort((a, b) => degree(b.v) - degree(a.v));
// Sizes of names that were found at this scale.
const known = new Map();
let knownAt = 0;
function forgetNames() { known.clear(); }
function atThisScale(key, find) {
  if (knownAt !== scale) forgetNames();
  knownAt = scale;
  if (!known.has(key)) known.set(key, find());
  return known.get(key);
}
// The size of a variable's name if that is larger than its box. Names of the chosen Markov blanket come first.
function sizeOf(v) {
  if (net.clusters && scale < ENTERED) return undefined;
  const rank = ({ v }) => v === chosen ? 2 : role.has(v) ? 1 : 0, group = groups[groupOf(v)];
  return atThisScale(group, () => sizesOf(group.slice().sort((a, b) => rank(b) - rank(a)), 12 * scale)).get(spots[v]);
}
