// The names of the row and the column under the pointer, below the two matrices of a card.
(() => {
  let names = null;
  for (const card of document.querySelectorAll(".network")) {
    const said = card.querySelector(".where");
    for (const svg of card.querySelectorAll(".matrix")) {
      svg.addEventListener("pointermove", (event) => {
        names = names || JSON.parse(document.getElementById("data").textContent).regions;
        const box = svg.querySelector("image").getBoundingClientRect(), count = names.length;
        const j = Math.floor(((event.clientX - box.left) / box.width) * count), i = Math.floor(((event.clientY - box.top) / box.height) * count);
        said.textContent = i >= 0 && j >= 0 && i < count && j < count ? `${names[i]} – ${names[j]}` : "";
      });
      svg.addEventListener("pointerleave", () => { said.textContent = ""; });
    }
  }
})();

// A member of a cluster of networks: its matrix above that of its cluster, and the connections in which it differs most from
// the mean of its cluster. Names stand in two columns, so that they keep clear of each other.
function regionView(g, D, paint, wide) {
  const box = document.createElement("div"), count = D.regions.length;
  box.className = g.im ? "regions" : "regions alone";
  if (g.im) {
    const side = document.createElement("div");
    side.className = "beside-matrices";
    for (const [said, symbol] of [["this network, beside the central cluster", null], ["its cluster", `#m${g.c}`]]) {
      const figure = document.createElement("figure"), caption = document.createElement("figcaption");
      const svg = addSvg(figure, "svg", { viewBox: "10 10 280 280", role: "img", "aria-label": `Matrix: ${said}` });
      if (symbol) addSvg(svg, "use", { href: symbol, width: 300, height: 300 });
      else addSvg(svg, "image", { href: g.im, x: 10, y: 10, width: 280, height: 280, class: "pixels", preserveAspectRatio: "none" });
      caption.textContent = said;
      figure.append(caption);
      side.append(figure);
    }
    box.append(side);
  }
  const narrow = wide < 560, room = narrow || !g.im ? wide : wide - 180, size = narrow ? 11 : 12, pitch = narrow ? 38 : 19;
  const drawn = g.top.filter(([a, b]) => a !== b).slice(0, narrow ? 8 : 15); // the table has more
  const named = [...new Set(drawn.flatMap(([a, b]) => [a, b]))];
  const turn = (i) => Math.PI / 2 - (2 * Math.PI * (i + 0.5)) / count;
  const half = { left: named.filter((i) => Math.cos(turn(i)) < 0), right: named.filter((i) => Math.cos(turn(i)) >= 0) };
  const most = Math.max(half.left.length, half.right.length), round = Math.min(room * (narrow ? 0.36 : 0.44), 330), high = Math.max(round + 40, most * pitch + 16);
  const cx = room / 2, cy = high / 2, radius = round / 2, at = (i, far = radius) => [cx + far * Math.cos(turn(i)), cy - far * Math.sin(turn(i))];
  const svg = addSvg(box, "svg", { class: "links", viewBox: `0 0 ${Math.round(room)} ${Math.round(high)}`, role: "img", "aria-label": `The ${drawn.length} connections in which ${g.name} differs most from the mean of its cluster` });
  for (let i = 0; i < count; i++) addSvg(svg, "circle", { cx: at(i)[0].toFixed(1), cy: at(i)[1].toFixed(1), r: named.includes(i) ? 3 : 1.4, fill: "currentColor", opacity: named.includes(i) ? 1 : 0.45 });
  const largest = Math.max(...g.top.map(([, , here, there]) => Math.abs(here - there)), 1e-12);
  for (const [a, b, here, there] of drawn) {
    const [x0, y0] = at(a), [x1, y1] = at(b), bend = 0.35;
    const d = `M${x0.toFixed(1)} ${y0.toFixed(1)}Q${(cx + ((x0 + x1) / 2 - cx) * bend).toFixed(1)} ${(cy + ((y0 + y1) / 2 - cy) * bend).toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
    const line = addSvg(svg, "path", { class: here > there ? "more" : "less", d, "stroke-width": (0.8 + (2.4 * Math.abs(here - there)) / largest).toFixed(1) });
    addSvg(line, "title", {}, `${between(D, a, b)}: ${here}, mean ${there}`);
    if (D.way.includes("→")) { // a head in the direction in which the curve ends
      const tx = x1 - (cx + ((x0 + x1) / 2 - cx) * bend), ty = y1 - (cy + ((y0 + y1) / 2 - cy) * bend), far = Math.hypot(tx, ty) || 1, ux = tx / far, uy = ty / far;
      const corner = (back, side) => `${(x1 - back * ux - side * uy).toFixed(1)} ${(y1 - back * uy + side * ux).toFixed(1)}`;
      addSvg(svg, "path", { class: here > there ? "head more" : "head less", d: `M${corner(3, 0)}L${corner(11, 4)}L${corner(11, -4)}Z` });
    }
  }
  const column = (cx - radius) - 26, letters = Math.max(6, Math.floor(column / (size * 0.56)));
  for (const [key, rows] of Object.entries(half)) {
    const way = key === "left" ? -1 : 1;
    rows.sort((a, b) => at(a)[1] - at(b)[1]);
    const places = rows.map((i) => at(i, radius + 14)[1]);
    for (let n = 1; n < places.length; n++) places[n] = Math.max(places[n], places[n - 1] + pitch);
    const over = places.length ? places[places.length - 1] - (high - pitch / 2) : 0;
    if (over > 0) { places[places.length - 1] -= over; for (let n = places.length - 2; n >= 0; n--) places[n] = Math.min(places[n], places[n + 1] - pitch); }
    rows.forEach((i, n) => {
      const [x, y] = at(i, radius + 4), edge = cx + way * (radius + 20);
      addSvg(svg, "path", { class: "lead", d: `M${x.toFixed(1)} ${y.toFixed(1)}L${(edge - way * 3).toFixed(1)} ${places[n].toFixed(1)}` });
      const lines = folded(D.regions[i], letters, narrow ? 3 : 1);
      lines.forEach((text, k) => addSvg(svg, "text", { x: edge.toFixed(1), y: (places[n] + (k - (lines.length - 1) / 2) * (size + 1)).toFixed(1), "text-anchor": way < 0 ? "end" : "start" }, text));
    });
  }
  return box;
}

const between = (D, a, b) => (a === b ? `${D.regions[a]} itself` : D.regions[a] + D.way + D.regions[b]);

// A name on so many lines at most; what does not fit is cut.
function folded(name, letters, most) {
  const lines = [];
  let rest = name;
  while (rest.length > letters && lines.length < most - 1) {
    const cut = rest.lastIndexOf(" ", letters), at = cut > 0 ? cut : letters;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trim();
  }
  return [...lines, rest.length > letters ? `${rest.slice(0, letters - 1)}…` : rest];
}

// The same connections as a table.
function regionTable(g, D, paint) {
  const { element } = paint, made = element("table"), head = element("tr"), top = element("thead"), body = element("tbody");
  made.append(element("caption", {}, `The ${g.top.length} connections in which it differs most from the mean of its cluster`));
  for (const name of ["connection", "here", "mean of the cluster", D.pooled ? "share of the distance, both ways" : "share of the distance"]) head.append(element("th", { scope: "col" }, name));
  for (const [a, b, here, there, share] of g.top) {
    const line = element("tr"), cell = element("td", { class: here > there ? "more" : "less" });
    cell.append(element("b", {}, here > there ? "▲ " : "▼ "), String(here));
    line.append(element("th", { scope: "row" }, between(D, a, b)), cell, element("td", {}, String(there)), element("td", {}, `${(share / 10).toFixed(1)}%`));
    body.append(line);
  }
  top.append(head);
  made.append(top, body);
  return made;
}
