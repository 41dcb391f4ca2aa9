"use strict";
// Pictures of graphs from small lists of whole numbers (see pictures.py). Names only ever become text or attribute values.
const SVG = "http://www.w3.org/2000/svg";

function addSvg(to, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  to.append(made);
  return made;
}

function painter(D) {
  const MANY = 80, FEW = 16, LONG = 4, WORD = 8, SAID = 44; // strokes in a small picture, and single letters; letters of a number, of a word at a node, of a title
  const LOWER = [1, 0.85, 0.7], CLOSE = 60; // how much lower letters are where words would lie on each other; of so many nodes the least distance is looked for
  const HEAD = 0.2; // the most of the length of an arrow that its head is long
  const LEGIBLE = 0.68, NUMBER = 60; // the least opacity of a word; room for a number behind it
  const NARROW = 700; // the width of a screen, in pixels, on which there is room for one picture only
  const THREADS = ["--h0", "--h2", "--h4", "--h5", "--h6", "--h3"];

  function element(name, attributes = {}, text = null) {
    const svg = "svg g path circle text".split(" ").includes(name);
    const made = svg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    return made;
  }

  // What is written at a node of a label; colours go by the whole of it.
  const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  // A name of which the middle is left out: names of one collection often begin, or end, alike.
  function elided(text, most) {
    const letters = [...text];
    if (letters.length <= most) return text;
    const head = Math.ceil((most - 1) / 2);
    return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (most - 1 - head)).join("")}`;
  }

  function strokesOf(g) {
    const plain = g.s !== undefined, flat = plain ? g.s : g.t || [], stride = plain ? 2 : 5, strokes = [];
    for (let at = 0; at < flat.length; at += stride) strokes.push(plain ? [flat[at], flat[at + 1], 0, 0, 0] : flat.slice(at, at + 5));
    return strokes;
  }

  function usualLength(g, strokes) {
    const lengths = strokes.map(([i, j]) => Math.hypot(g.p[2 * i] - g.p[2 * j], g.p[2 * i + 1] - g.p[2 * j + 1])).sort((a, b) => a - b);
    return lengths.length ? lengths[lengths.length >> 1] : 0;
  }

  // How thick lines, dots and letters are: as in graphmeans/plots/pen.py, on a sheet of 1000. A picture shows `unit` times the whole
  // sheet: dots and lines of small pictures are as large in all of them.
  function pen(g, strokes, small, unit = 1) {
    const count = Math.max(1, g.p.length / 2 - (g.h ? g.h.length : 0)), crowd = Math.min(1, Math.sqrt(12 / count));
    const usual = usualLength(g, strokes), formula = g.o !== undefined;
    const labels = g.l ? g.l.filter((l) => D.labels[l]).length : 0;
    const letters = labels <= FEW && g.l && g.l.every((l) => [...D.labels[l]].length < 2); // which can be read in a small picture, too
    let written = labels > 0 && labels <= 60 && (!small || formula || letters);
    if (formula || letters) unit = 1;
    let line = 1000 * (written ? 0.016 : 0.024) * crowd * unit, dot = 31 * crowd * unit, font = 85 * crowd;
    if (small && (!strokes.length || !D.shared)) dot *= 1.5; // points are all there is, or colours are to be seen
    if (usual) {
      line = Math.min(line, usual * 0.16); dot = Math.min(dot, usual * 0.22);
      if (formula) { line = Math.min(line, usual * 0.07); font = Math.min(font, usual * 0.5); }
    }
    if (g.em) { font = Math.min(font * 1.3, g.em); written = labels > 0 && !small && font >= 13; } // the layout kept room for labels
    else if (small) font = Math.max(font, letters && !formula ? 110 : 60);
    if (written && !formula && !g.em) { // lower letters, and where they are no help dots
      const lower = LOWER.find((part) => !blurred(g, font * part));
      written = lower !== undefined;
      font *= lower || 1;
    }
    if (small && !strokes.length && !D.shared) dot = Math.min(dot, 0.4 * spacing(g));
    if (small) line = Math.max(line, (strokes.length > MANY ? 9 : 18) * unit);
    else line *= 0.7, dot *= 0.75;
    return { line, dot, font, written, usual };
  }

  // The least distance of two dots of a small graph.
  function spacing(g) {
    const count = g.p.length / 2;
    let least = Infinity;
    for (let i = 0; i < count && count <= CLOSE; i++) {
      for (let j = 0; j < i; j++) least = Math.min(least, Math.hypot(g.p[2 * i] - g.p[2 * j], g.p[2 * i + 1] - g.p[2 * j + 1]) || Infinity);
    }
    return least;
  }

  // Whether words in place of nodes would lie on each other (as in graphmeans/plots/pen.py).
  function blurred(g, font) {
    const shown = [];
    for (let n = 0; n < g.p.length / 2; n++) {
      const text = D.labels[g.l[n]], there = !(g.h && g.h.includes(n)) && (!g.ns || g.ns[n] >= 50);
      if (text && there) shown.push([g.p[2 * n], g.p[2 * n + 1], 0.62 * font * Math.min(text.length, WORD)]);
    }
    return shown.some(([x, y, wide], n) => shown.some(([u, v, other], m) => m < n && Math.abs(x - u) < 0.5 * (wide + other) && Math.abs(y - v) < font));
  }

  function path([i, j, bend, shift, inset], g, look, head) {
    let ax = g.p[2 * i], ay = g.p[2 * i + 1], bx = g.p[2 * j], by = g.p[2 * j + 1];
    const length = Math.hypot(bx - ax, by - ay);
    if (length < 1e-6) return "";
    const ux = (bx - ax) / length, uy = (by - ay) / length, aside = (shift / 1000) * Math.min(look.usual, length);
    const room = (n) => (isWritten(g, n, look) ? Math.min(look.font * 0.62, 0.35 * length) : (inset / 1000) * length);
    const a = room(i), b = room(j);
    ax += ux * a + uy * aside; ay += uy * a - ux * aside; bx -= ux * b - uy * aside; by -= uy * b + ux * aside;
    const at = (x) => Math.round(x);
    let d = `M${at(ax)} ${at(ay)}`;
    if (bend) {
      const s = Math.abs(bend) / 1000, radius = (Math.hypot(bx - ax, by - ay) * (1 + 4 * s * s)) / (8 * s);
      d += `A${at(radius)} ${at(radius)} 0 ${s > 0.5 ? 1 : 0} ${bend > 0 ? 1 : 0} ${at(bx)} ${at(by)}`;
    } else d += `L${at(bx)} ${at(by)}`;
    if (head) {
      const tx = bx - ux * look.dot * 1.2, ty = by - uy * look.dot * 1.2, h = Math.min(look.line * 3.2, HEAD * length), w = 0.53 * h;
      d += `M${at(tx - ux * h - uy * w)} ${at(ty - uy * h + ux * w)}L${at(tx)} ${at(ty)}L${at(tx - ux * h + uy * w)} ${at(ty - uy * h - ux * w)}`;
    }
    return d;
  }

  const strength = (s) => (s >= 100 ? 1 : 0.04 + 0.96 * Math.pow(s / 100, 1.6));

  // How many letters of a word are written at a node.
  const lettersAt = (g, n) => (g.lc ? g.lc[n] : g.lt || WORD);

  // Whether the word at a node is written: of a mean words that fewer than half of the members have would be too pale to be read.
  const isWritten = (g, n, look) => look.written && g.l && D.labels[g.l[n]] && (g.o !== undefined || !g.ns || g.ns[n] >= 50);

  // A graph, or a mean if it has supports, as a group; `look` may be shared, `ghost` draws the usual parts only.
  function group(g, { small = false, ghost = false, kind = "", words = true, unit = 1 } = {}) {
    const strokes = strokesOf(g), look = pen(g, strokes, small, unit), made = element("g", { class: ghost ? "ghost" : kind });
    if (ghost || !words) look.written = false;
    const hidden = new Set(g.h || []), dots = g.o ? new Set(g.o) : null, rings = new Set(g.q || []);
    const heads = new Set(g.w || []), oddNodes = new Set(g.xn || []), oddStrokes = new Set(g.xs || []);
    const paths = new Map();
    // In a small picture all edges of a dense network would be one spot: the strongest are drawn.
    const least = small && g.ss && strokes.length > MANY ? [...g.ss].sort((a, b) => b - a)[MANY >> 1] : 0;
    strokes.forEach((stroke, s) => {
      const share = g.ss ? g.ss[s] : 100;
      if (!share || share < least || (ghost && share < 50)) return;
      const key = ghost ? "100" : `${oddStrokes.has(s) ? "x" : ""}${share}`;
      paths.set(key, (paths.get(key) || "") + path(stroke, g, look, heads.has(s)));
    });
    const order = [...paths.keys()].sort((a, b) => parseInt(a.replace("x", ""), 10) - parseInt(b.replace("x", ""), 10));
    for (const key of order) {
      const share = parseInt(key.replace("x", ""), 10);
      made.append(element("path", {
        d: paths.get(key), fill: "none", stroke: "currentColor", "stroke-linecap": "round", "stroke-linejoin": "round",
        "stroke-width": (look.line * (ghost ? 2.2 : 0.35 + 0.0065 * share)).toFixed(1), opacity: ghost ? null : strength(share).toFixed(2),
        class: key[0] === "x" ? "extra" : null,
      }));
    }
    if (!g.p.length && !ghost) made.append(element("text", { x: 500, y: 500, "font-size": small ? 120 : 70, "text-anchor": "middle", "dominant-baseline": "central", fill: "currentColor", opacity: 0.65 }, "no nodes"));
    for (let n = 0; ghost && !strokes.length && n < g.p.length / 2; n++) { // of a mean without lines the usual points
      if (g.ns[n] >= 50 && !hidden.has(n)) made.append(element("circle", { fill: "currentColor", cx: g.p[2 * n], cy: g.p[2 * n + 1], r: (look.dot * 1.7).toFixed(1) }));
    }
    for (let n = 0; !ghost && n < g.p.length / 2; n++) {
      const share = g.ns ? g.ns[n] : 100, label = g.l ? D.labels[g.l[n]] : "";
      if (!share || hidden.has(n) || (!label && dots && !dots.has(n))) continue;
      const common = { opacity: strength(share).toFixed(2), class: oddNodes.has(n) ? "extra" : null, fill: "currentColor" };
      const kind = g.l || g.kd ? D.labels[(g.l || g.kd)[n]] : undefined; // one kind, one colour, in means and members; the others are grey
      if (D.palette && kind !== undefined && !oddNodes.has(n)) common.fill = D.palette[kind] || "var(--soft)";
      if (isWritten(g, n, look)) {
        if (!dots) common.opacity = Math.max(common.opacity, LEGIBLE); // the height of letters tells shares, too
        const side = g.d && label.length > 1 ? g.d[n] : 0, font = look.font * (0.75 + 0.0025 * share);
        made.append(element("text", {
          ...common, x: (g.p[2 * n] - side * 0.36 * font).toFixed(0), y: g.p[2 * n + 1], "font-size": font.toFixed(0), "font-weight": 600,
          "text-anchor": ["end", "middle", "start"][side + 1], "dominant-baseline": "central", "font-family": "system-ui, sans-serif",
        }, short(label, lettersAt(g, n))));
      } else if (rings.has(n)) {
        made.append(element("circle", { ...common, fill: "none", stroke: common.fill, "stroke-width": look.line.toFixed(1), cx: g.p[2 * n], cy: g.p[2 * n + 1], r: 35 }));
      } else made.append(element("circle", { ...common, cx: g.p[2 * n], cy: g.p[2 * n + 1], r: (look.dot * (0.45 + 0.055 * Math.sqrt(share))).toFixed(1) }));
    }
    return made;
  }

  const SIDE = 1180; // of a sheet with its margins
  const sheet = (width = 1000, height = 1000, margin = 90) => element("svg", { viewBox: `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}` });

  function extent(g, from = 0) {
    const hidden = new Set(g.h || []), seen = [];
    for (let n = 0; n < g.p.length / 2; n++) if (!hidden.has(n) && (!g.ns || g.ns[n] > 8)) seen.push(g.p[2 * n + from]);
    strokesOf(g).forEach(([i, j, bend], s) => { // how far an arc reaches beyond its ends
      if (!bend || hidden.has(i) || hidden.has(j) || (g.ss && g.ss[s] <= 8)) return;
      const x = g.p[2 * j] - g.p[2 * i], y = g.p[2 * j + 1] - g.p[2 * i + 1];
      seen.push((g.p[2 * i + from] + g.p[2 * j + from]) / 2 + (bend / 1000) * (from ? -x : y));
    });
    return seen.length ? [Math.min(...seen), Math.max(...seen)] : [0, 1000];
  }
  function around1(g) {
    const least = strokesOf(g).length ? 250 : 700; // dots alone would fill the picture
    const [x0, x1] = extent(g, 0), [y0, y1] = extent(g, 1), side = Math.max(x1 - x0, y1 - y0, least) * 1.3;
    return framed(x0 + x1, y0 + y1, side);
  }
  // A square window about a point, of which twice the coordinates are given.
  const framed = (x, y, side) => ({ box: `${(x - side) / 2} ${(y - side) / 2} ${side} ${side}`, unit: side / SIDE });

  // Where there is no common plane, a graph that is larger than its mean is drawn smaller.
  function fitted(g) {
    if (D.shared) return g;
    const [x0, x1] = extent(g, 0), [y0, y1] = extent(g, 1), scale = Math.min(1.1, 1000 / Math.max(x1 - x0, y1 - y0, 1));
    return { ...g, em: g.em && g.em * scale, p: g.p.map((v, n) => Math.round(500 + (v - (n % 2 ? y0 + y1 : x0 + x1) / 2) * scale)) };
  }

  // Two graphs side by side: threads lead from each node to the one it is aligned to. `left` and `right` are what is written at
  // the nodes of each, nothing where it is 0: exactly the nodes that the text beside the picture names.
  function pair(first, second, into, names, leftNames, rightNames) {
    const left = fitted(first), right = fitted(second);
    const longest = Math.max(0, ...[...leftNames, ...rightNames].map((text) => String(text || "").length));
    const wide = longest > LONG ? 20 * longest : 0, gap = 420 + wide, heights = [...extent(left, 1), ...extent(right, 1)];
    const top = Math.min(...heights) - 70, bottom = Math.max(...heights) + 100, high = bottom - top + 120;
    // On a narrow screen one stands below the other: two pictures beside each other could not be read.
    const below = window.innerWidth <= NARROW, across = below ? 0 : 1000 + gap, down = below ? high : 0;
    const [out, off] = below ? [0, 1].map((side) => Math.max(overhang(left)[side], overhang(right)[side])) : [overhang(left)[0], overhang(right)[1]];
    const svg = element("svg", { viewBox: `${-160 - wide - out} ${top - 30} ${1320 + across + 2 * wide + out + off} ${high + down}` }), threads = element("g", { "aria-hidden": "true" });
    const a = element("g", { class: "left", transform: "translate(0 90)" }), b = element("g", { class: "right", transform: `translate(${across} ${90 + down})` });
    const words = [left, right].every((g) => g.em || g.o || !g.l || pen(g, strokesOf(g), false).written); // on both sides or on none
    a.append(group(left, { words }));
    b.append(group(right, { words }));
    const hidden = new Set(left.h || []), shown = (n) => !hidden.has(n) && (!left.ns || left.ns[n] > 0) && (!left.n || left.n[n]);
    let turn = 0;
    if (!D.regions && !below) into.forEach((j, i) => { // a region stands at the same place in both
      if (j < 0 || !shown(i) || (right.ns && !right.ns[j])) return;
      const colour = `var(${THREADS[turn++ % THREADS.length]})`;
      const x0 = left.p[2 * i], y0 = left.p[2 * i + 1] + 90, x1 = right.p[2 * j] + across, y1 = right.p[2 * j + 1] + 90, lift = Math.min(y0, y1) - 40;
      threads.append(element("path", { class: "thread", stroke: colour, d: `M${x0} ${y0}C${x0 + 300} ${lift} ${x1 - 300} ${lift} ${x1} ${y1}` }));
    });
    const fine = Boolean(words && (left.em || right.em)); // numbers of one size on both sides
    leftNames.forEach((text, i) => { if (text && shown(i)) mark(a, left, i, text, words, fine); });
    rightNames.forEach((text, j) => { if (text && !(right.ns && !right.ns[j])) mark(b, right, j, text, words, fine); });
    svg.append(threads, a, b, element("text", { class: "said", x: 500, y: top + 20 }, short(names[0], SAID)), element("text", { class: "said", x: 500 + across, y: top + 20 + down }, short(names[1], SAID)));
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${names[0]} beside ${names[1]}, aligned nodes joined`);
    return svg;
  }

  // How far words at the nodes of a tree reach beyond the room that is left beside a picture, on the left and on the right.
  function overhang(g) {
    const look = pen(g, strokesOf(g), false), over = [0, 0];
    if (!g.em || !look.written) return over;
    for (let n = 0; n < g.p.length / 2; n++) {
      const half = 0.31 * look.font * Math.min(D.labels[g.l[n]].length, lettersAt(g, n)), x = g.p[2 * n];
      if (!isWritten(g, n, look)) continue;
      over[0] = Math.max(over[0], half - x - 140);
      over[1] = Math.max(over[1], x + half + NUMBER - 1140);
    }
    return over;
  }

  function mark(into, g, n, number, words, fine) {
    if (!number) return;
    const x = g.p[2 * n], y = g.p[2 * n + 1], strokes = strokesOf(g), look = pen(g, strokes, false), label = g.l ? D.labels[g.l[n]] : "";
    if (words && g.em && isWritten(g, n, look)) { // above the end of the word
      const wide = look.font * 0.3 * Math.min(label.length, lettersAt(g, n));
      into.append(element("text", { class: "number above", x: (x + wide).toFixed(0), y: (y - 0.55 * look.font).toFixed(0) }, number));
      return;
    }
    const way = free(g, n, strokes), made = element("text", { class: fine ? "number above" : "number", x: (x + 58 * Math.cos(way)).toFixed(0), y: (y + 58 * Math.sin(way)).toFixed(0) }, number);
    if (String(number).length > LONG) made.style.textAnchor = Math.cos(way) < 0 ? "end" : "start"; // a name runs outwards
    into.append(made);
  }

  // The direction from a node in which no line leaves it: the middle of the widest gap, away from the middle of the graph.
  function free(g, n, strokes) {
    const count = g.p.length / 2, x = g.p[2 * n], y = g.p[2 * n + 1];
    let cx = 0, cy = 0;
    for (let i = 0; i < count; i++) { cx += g.p[2 * i] / count; cy += g.p[2 * i + 1] / count; }
    const away = Math.hypot(x - cx, y - cy) > 1 ? Math.atan2(y - cy, x - cx) : -Math.PI / 2, turns = [];
    strokes.forEach(([i, j], s) => {
      if ((i !== n && j !== n) || (g.ss && g.ss[s] < 12)) return;
      const other = i === n ? j : i;
      turns.push(Math.atan2(g.p[2 * other + 1] - y, g.p[2 * other] - x));
    });
    if (!strokes.length && count > 1 && g.p.every((v, at) => at % 2 === 0 || v === y)) return -Math.PI / 2; // above a line of letters
    if (!turns.length) return away;
    turns.sort((a, b) => a - b);
    let best = away, most = -Infinity;
    turns.forEach((turn, k) => {
      const gap = (k + 1 < turns.length ? turns[k + 1] : turns[0] + 2 * Math.PI) - turn;
      // As far from the lines as 60 degrees is far enough; then outwards is better.
      const ways = gap > 2.1 ? [turn + 1.05, turn + gap / 2, turn + gap - 1.05] : [turn + gap / 2];
      for (const way of ways) {
        const worth = Math.min(gap / 2, 1.05) + 0.3 * Math.cos(way - away);
        if (worth > most) { most = worth; best = way; }
      }
    });
    return best;
  }

  return { element, elided, group, sheet, extent, around1, framed, pair };
}
