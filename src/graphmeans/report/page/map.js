// The map: all graphs as dots on a canvas, with the clusters above it; zoom, pan, colors, and a selection.
function mapView(D, paint, members, name) {
  const $ = (id) => document.getElementById(id);
  const { element, elided } = paint;
  const box = $("mapbox"), canvas = $("dots"), svg = box.querySelector("svg.map"), tip = $("tip"), WIDE = 1000, HIGH = 640;
  const links = [...svg.querySelectorAll("a")], leads = [...svg.querySelectorAll(".leads > g")];

  // ---- columns of all dots: first the graphs that are drawn on the page, then the others ----------------

  function unpack(text, Kind) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Kind(bytes.buffer);
  }
  const drawn = D.graphs.length, rest = D.rest ? { i: unpack(D.rest.i, Uint32Array), x: unpack(D.rest.x, Int16Array), y: unpack(D.rest.y, Int16Array), c: unpack(D.rest.c, Uint16Array), r: unpack(D.rest.r, Uint16Array), k: D.rest.k && unpack(D.rest.k, Uint16Array), pm: D.rest.pm && unpack(D.rest.pm, Int16Array) } : null;
  const count = drawn + (rest ? rest.i.length : 0);
  const X = new Float32Array(count), Y = new Float32Array(count), C = new Uint16Array(count);
  D.graphs.forEach((g, n) => { X[n] = g.x; Y[n] = g.y; C[n] = g.c; });
  if (rest) for (let n = 0; n < rest.i.length; n++) { X[drawn + n] = rest.x[n]; Y[drawn + n] = rest.y[n]; C[drawn + n] = rest.c[n]; }
  const chosen = new Uint8Array(count), hiddenClusters = new Uint8Array(D.clusters.length);
  const position = (n) => (n < drawn ? D.graphs[n].i : rest.i[n - drawn]);
  const nameOf = (n) => (n < drawn ? D.graphs[n].name : name(rest.i[n - drawn]));
  const distanceOf = (n) => (n < drawn ? D.graphs[n].r : Number(((rest.r[n - drawn] / 65535) * D.rest.most).toPrecision(4)));
  const classOf = (n) => (n < drawn ? D.graphs[n].k : rest.k ? rest.k[n - drawn] : undefined);
  const provenOf = (n) => (n < drawn ? D.graphs[n].pm : rest.pm ? (rest.pm[n - drawn] < 0 ? -1 : rest.pm[n - drawn] / 1e4) : undefined);

  // ---- colors: dots of one color are drawn together -----------------------------------------------------

  const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [240, 220, 40]], STEPS = 20;
  const ramp = (t) => {
    const at = Math.min(3.999, Math.max(0, t * 4)), low = Math.floor(at), f = at - low;
    return `rgb(${RAMP[low].map((v, d) => Math.round(v + f * (RAMP[low + 1][d] - v))).join(" ")})`;
  };
  const css = (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  const hue = (h) => css(`--h${h % 10}`);
  let bins = [];

  function byNumber(value, low, high, words) {
    const code = new Int16Array(count), none = [];
    for (let n = 0; n < count; n++) { const v = value(n); code[n] = v === undefined || v === null || Number.isNaN(v) ? -1 : Math.max(0, Math.min(STEPS - 1, Math.floor(((v - low) / (high - low || 1)) * STEPS))); if (code[n] < 0) none.push(n); }
    binned(code, STEPS, (b) => ramp((b + 0.5) / STEPS));
    const bar = element("i", { class: "ramp" });
    bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(ramp).join(", ")})`;
    const shown = (v) => Number(v.toPrecision(3)).toLocaleString("en");
    legend([element("span", {}, shown(low)), bar, element("span", {}, `${shown(high)}${words || ""}`), ...(none.length ? swatch(css("--soft"), `not known (${none.length.toLocaleString("en")})`) : [])]);
  }
  function byKind(value, names, color) {
    const code = new Int16Array(count);
    for (let n = 0; n < count; n++) { const v = value(n); code[n] = v === undefined || v === 255 ? -1 : v; }
    binned(code, names.length, color);
    legend(names.slice(0, 24).flatMap((text, k) => swatch(color(k), text)).concat(names.length > 24 ? [element("span", {}, `and ${names.length - 24} more`)] : []));
  }
  function swatch(color, text) {
    const dot = element("i", { class: "swatch" });
    dot.style.background = color;
    const item = element("span", {}, text);
    item.prepend(dot);
    return [item];
  }
  function binned(code, size, color) {
    const lists = Array.from({ length: size + 1 }, () => []);
    for (let n = 0; n < count; n++) lists[code[n] < 0 ? size : code[n]].push(n);
    bins = lists.map((list, b) => ({ color: b === size ? css("--soft") : color(b), dots: Int32Array.from(list) })).filter((bin) => bin.dots.length);
  }
  const legend = (parts) => $("map-legend").replaceChildren(...parts);

  function recolor() {
    const by = $("color").value;
    if (by === "class") byKind(classOf, D.classes, hue);
    else if (by === "distance") { let most = 0; for (let n = 0; n < count; n++) most = Math.max(most, distanceOf(n)); byNumber(distanceOf, 0, most); }
    else if (by === "margin") byNumber((n) => (n < drawn && D.graphs[n].r2 ? Math.max(0, 1 - D.graphs[n].r / D.graphs[n].r2) : undefined), 0, 1);
    else if (by === "certificate") byKind((n) => (provenOf(n) < 0 ? 0 : provenOf(n) < 0.1 ? 1 : provenOf(n) < 0.3 ? 2 : 3), ["not proven", "proven, margin below .1", "below .3", ".3 or more"], (b) => (b ? ramp([0, 0.35, 0.6, 0.85][b]) : css("--h1")));
    else if (by.startsWith("attribute:")) {
      const column = D.attributes[Number(by.slice(10))], steps = column.steps || (column.steps = unpack(column.v, Uint8Array));
      if (column.kinds) byKind((n) => steps[n], column.kinds, hue);
      else byNumber((n) => (steps[n] === 255 ? undefined : column.low + (steps[n] / 254) * (column.high - column.low)), column.low, column.high);
    } else { binned(C.map((c) => D.hues[c]), 10, hue); legend([element("span", {}, "neighbouring clusters differ in color")]); }
    draw();
  }

  // ---- drawing ------------------------------------------------------------------------------------------

  const view = { k: 1, x: 0, y: 0 }; // a point (u, v) of the map is shown at (k u + x, k v + y), in units of the map
  let lit = null, pointed = -1, rectangle = null, waiting = false, beyond = 0;
  const ctx = canvas.getContext("2d");
  let image = null, pixels = null; // many dots are written into an image, which is faster than drawing them one by one
  function inkOf(color, alpha) {
    ctx.fillStyle = color;
    const hex = ctx.fillStyle, part = (at) => parseInt(hex.slice(at, at + 2), 16);
    return ((Math.round(255 * (alpha < 0.2 ? alpha : 0.9)) << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
  }
  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; paintDots(); });
  }
  function paintDots() {
    const start = performance.now(), scale = canvas.width / WIDE, { k, x, y } = view, w = canvas.width, h = canvas.height;
    if (!w) return;
    const ax = k * scale, bx = x * scale, by = y * scale, many = count > 4000, out = [];
    const r = Math.max(1.2, Math.min(4.5, 60 / Math.sqrt(count))) * Math.min(2, Math.sqrt(k)) * scale * (box.clientWidth < 600 ? 1.5 : 1), size = Math.max(1, Math.round(1.7 * r));
    if (many && (!image || image.width !== w || image.height !== h)) { image = ctx.createImageData(w, h); pixels = new Uint32Array(image.data.buffer); }
    if (many) pixels.fill(0);
    else ctx.clearRect(0, 0, w, h);
    beyond = 0;
    const passes = lit === null ? [[null, Number(css("--dot")) || 0.65]] : [[false, 0.1], [true, 0.95]];
    for (const [which, alpha] of passes) {
      ctx.globalAlpha = alpha;
      for (const bin of bins) {
        const ink = many ? inkOf(bin.color, alpha) : 0;
        if (!many) { ctx.fillStyle = bin.color; ctx.beginPath(); }
        for (let d = 0; d < bin.dots.length; d++) {
          const n = bin.dots[d], c = C[n];
          if (hiddenClusters[c] || (which !== null && (c === lit) !== which)) continue;
          const px = X[n] * ax + bx, py = Y[n] * ax + by;
          if (px < 0 || py < 0 || px > w || py > h) { beyond++; if (k <= 1 && out.length < 3000) out.push(n, bin.color); continue; }
          if (many) {
            const x0 = Math.max(0, (px - size / 2) | 0), x1 = Math.min(w, x0 + size), y1 = Math.min(h, ((py - size / 2) | 0) + size);
            for (let row = Math.max(0, (py - size / 2) | 0); row < y1; row++) for (let at = row * w + x0; at < row * w + x1; at++) pixels[at] = ink;
          }
          else { ctx.moveTo(px + r, py); ctx.arc(px, py, r, 0, 6.2832); }
        }
        if (!many) ctx.fill();
      }
    }
    if (many) ctx.putImageData(image, 0, 0);
    ctx.globalAlpha = 1;
    for (let at = 0; at < out.length; at += 2) arrow(X[out[at]] * ax + bx, Y[out[at]] * ax + by, w, h, 7 * scale, out[at + 1]);
    ctx.fillStyle = css("--ink");
    for (let n = 0; n < count; n++) if (chosen[n]) ctx.fillRect(X[n] * ax + bx - size / 2 - 0.5, Y[n] * ax + by - size / 2 - 0.5, size + 1, size + 1);
    if (pointed >= 0) { ctx.strokeStyle = css("--ink"); ctx.lineWidth = 2 * scale; ctx.beginPath(); ctx.arc(X[pointed] * ax + bx, Y[pointed] * ax + by, r + 4 * scale, 0, 6.2832); ctx.stroke(); }
    if (rectangle) { ctx.strokeStyle = css("--accent"); ctx.lineWidth = 1.5 * scale; ctx.setLineDash([6, 4]); ctx.strokeRect(...rectangle.map((v) => v * scale)); ctx.setLineDash([]); }
    for (const link of links) link.setAttribute("transform", `translate(${Number(link.dataset.x) * k + x + Number(link.dataset.dx)} ${Number(link.dataset.y) * k + y + Number(link.dataset.dy)})`);
    for (const lead of leads) lead.setAttribute("transform", `translate(${Number(lead.dataset.x) * k + x} ${Number(lead.dataset.y) * k + y})`);
    status();
    mapView.frame = performance.now() - start; // for those who measure
  }
  function arrow(px, py, w, h, size, color) {
    const qx = Math.max(size, Math.min(w - size, px)), qy = Math.max(size, Math.min(h - size, py)), angle = Math.atan2(py - qy, px - qx);
    ctx.fillStyle = color;
    ctx.beginPath();
    ctx.moveTo(qx + size * Math.cos(angle), qy + size * Math.sin(angle));
    ctx.lineTo(qx + size * 0.8 * Math.cos(angle + 2.5), qy + size * 0.8 * Math.sin(angle + 2.5));
    ctx.lineTo(qx + size * 0.8 * Math.cos(angle - 2.5), qy + size * 0.8 * Math.sin(angle - 2.5));
    ctx.fill();
  }
  function status() {
    const nouns = `${box.dataset.noun}${count === 1 ? "" : "s"}`;
    const far = beyond.toLocaleString("en"), shown = (count - beyond).toLocaleString("en");
    const text = view.k > 1 ? `${shown} of ${count.toLocaleString("en")} ${nouns} in view.` : beyond ? `${count.toLocaleString("en")} ${nouns}. ${far} lie${beyond === 1 ? "s" : ""} beyond the edge: an arrow at the rim points to ${beyond === 1 ? "it" : "each"}; zoom out to see ${beyond === 1 ? "it" : "them"}.` : `${count.toLocaleString("en")} ${nouns}.`;
    if ($("map-status").textContent !== text) $("map-status").textContent = text;
  }

  function resize() {
    const scale = Math.min(2, window.devicePixelRatio || 1), width = Math.round(box.clientWidth * scale);
    if (!width || canvas.width === width) return;
    canvas.width = width;
    canvas.height = Math.round((width * HIGH) / WIDE);
    draw();
  }

  // ---- zoom and pan -------------------------------------------------------------------------------------

  let least = 1;
  for (let n = 0; n < count; n++) least = Math.min(least, 0.5 / Math.max(0.5, Math.abs(X[n] - WIDE / 2) / WIDE, Math.abs(Y[n] - HIGH / 2) / HIGH));
  function zoom(by, at = [WIDE / 2, HIGH / 2]) {
    const k = Math.max(least * 0.95, Math.min(60, view.k * by)), f = k / view.k;
    view.x = at[0] - f * (at[0] - view.x);
    view.y = at[1] - f * (at[1] - view.y);
    view.k = k;
    if (k < 1) { view.x = (WIDE / 2) * (1 - k); view.y = (HIGH / 2) * (1 - k); }
    box.classList.toggle("zoomed", k > 1);
    draw();
  }
  function pan(dx, dy) { view.x += dx; view.y += dy; draw(); }
  function home() { view.k = 1; view.x = view.y = 0; box.classList.remove("zoomed"); draw(); }
  const unit = (event) => { const b = canvas.getBoundingClientRect(), s = WIDE / b.width; return [(event.clientX - b.left) * s, (event.clientY - b.top) * s]; };
  $("zoom-in").addEventListener("click", () => zoom(1.6));
  $("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
  $("zoom-home").addEventListener("click", home);
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !box.contains(document.activeElement)) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), unit(event));
  }, { passive: false });
  box.addEventListener("dblclick", (event) => { event.preventDefault(); zoom(2, unit(event)); });

  // ---- pointing, opening, selecting -----------------------------------------------------------------------

  function nearest([u, v], reach) {
    const px = (u - view.x) / view.k, py = (v - view.y) / view.k;
    let best = -1, least2 = (reach / view.k) ** 2;
    for (let n = 0; n < count; n++) {
      const dx = X[n] - px, dy = Y[n] - py, far = dx * dx + dy * dy;
      if (far < least2 && !hiddenClusters[C[n]]) { best = n; least2 = far; }
    }
    return best;
  }
  const reach = () => 11 * (WIDE / Math.max(1, box.clientWidth));
  // A picture with its name and some lines, beside a place of the map.
  function tell(picture, title, lines, x, y) {
    tip.replaceChildren(...(picture ? [picture] : []), element("b", {}, elided(title, 44)), ...lines.map((text) => element("span", {}, text)));
    tip.hidden = false;
    const s = box.clientWidth / WIDE, left = (x * view.k + view.x) * s, top = (y * view.k + view.y) * s, high = tip.offsetHeight;
    const right = left + 14 + tip.offsetWidth > box.clientWidth - 4;
    tip.style.left = `${Math.max(4, right ? left - 14 - tip.offsetWidth : left + 14)}px`;
    tip.style.top = `${Math.max(4, Math.min(box.clientHeight - high - 4, top + 14))}px`;
  }
  // The picture of a cluster that is pointed at, large.
  function tellCluster(link) {
    const c = Number(link.dataset.c), large = element("svg", { viewBox: "0 0 300 300", class: `h${D.hues[c]}`, "aria-hidden": "true" });
    addSvg(large, "use", { href: `#m${c}` });
    const size = D.clusters[c].size;
    const [x, y] = ["x", "y"].map((at) => Number(link.dataset[at]) + Number(link.dataset[`d${at}`]) / view.k);
    tell(large, D.clusters[c].name, [`${size.toLocaleString("en")} graph${size === 1 ? "" : "s"}`], x, y);
  }
  function point(n) {
    if (n === pointed) return;
    pointed = n;
    tip.hidden = n < 0;
    if (n >= 0) {
      const k = classOf(n), lines = [D.clusters[C[n]].name + (k === undefined ? "" : `, class ${D.classes[k]}`), `distance ${distanceOf(n)}`];
      if (n >= drawn) lines.push("not drawn on this page");
      tell(n < drawn ? members.picture(n) : null, nameOf(n), lines, X[n], Y[n]);
    }
    draw();
  }
  // A dot below the picture of a cluster can be pointed at, and opened, too.
  links.forEach((link) => link.addEventListener("click", (event) => {
    const n = event.detail ? nearest(unit(event), reach() / 2) : -1; // not for keys
    if (n < 0) return;
    event.preventDefault();
    openDot(n);
  }));
  let down = null, choosing = false;
  box.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest("a")) return;
    down = { at: unit(event), from: unit(event), moved: false, choose: choosing || event.shiftKey };
    canvas.setPointerCapture?.(event.pointerId);
    box.focus({ preventScroll: true });
  });
  box.addEventListener("pointermove", (event) => {
    const now = unit(event);
    if (!down) { point(nearest(now, event.target.closest("a") ? reach() / 2 : reach())); return; }
    if (!down.moved && Math.hypot(now[0] - down.from[0], now[1] - down.from[1]) < 5) return;
    down.moved = true;
    point(-1);
    if (down.choose) { rectangle = [Math.min(down.from[0], now[0]), Math.min(down.from[1], now[1]), Math.abs(now[0] - down.from[0]), Math.abs(now[1] - down.from[1])]; draw(); }
    else if (view.k > 1 || event.pointerType === "mouse") pan(now[0] - down.at[0], now[1] - down.at[1]);
    down.at = now;
  });
  box.addEventListener("pointerup", (event) => {
    if (!down) return;
    const was = down;
    down = null;
    if (!was.moved) { const n = nearest(unit(event), reach()); if (n >= 0) openDot(n); return; }
    if (!was.choose || !rectangle) return;
    const [x, y, w, h] = rectangle;
    rectangle = null;
    select(x, y, w, h);
  });
  box.addEventListener("pointercancel", () => { down = null; rectangle = null; draw(); });
  box.addEventListener("pointerleave", () => point(-1));

  function openDot(n) {
    if (n < drawn) members.open(n);
    else members.missing(position(n));
  }
  function select(x, y, w, h) {
    const { k } = view;
    for (let n = 0; n < count; n++) {
      const u = X[n] * k + view.x, v = Y[n] * k + view.y;
      if (!hiddenClusters[C[n]] && u >= x && v >= y && u <= x + w && v <= y + h) chosen[n] = 1;
    }
    showSelection();
  }
  function showSelection() {
    const rows = [], clusters = new Set();
    chosen.forEach((yes, n) => { if (yes) { rows.push(n); clusters.add(C[n]); } });
    $("selection").hidden = !rows.length;
    $("selected").textContent = `${rows.length.toLocaleString("en")} graph${rows.length === 1 ? "" : "s"} of ${clusters.size} cluster${clusters.size === 1 ? "" : "s"} selected${rows.filter((n) => n < drawn).length > 40 ? "; the first 40 drawn here" : ""}.`;
    $("selected-members").replaceChildren(...rows.filter((n) => n < drawn).slice(0, 40).map(members.thumb));
    draw();
    return rows;
  }
  $("choose").addEventListener("click", () => { choosing = !choosing; $("choose").setAttribute("aria-pressed", String(choosing)); box.classList.toggle("choosing", choosing); });
  $("choose-view").addEventListener("click", () => select(0, 0, WIDE, HIGH));
  $("clear").addEventListener("click", () => { chosen.fill(0); showSelection(); box.focus(); });
  $("export").addEventListener("click", () => {
    const lines = [["name", "cluster", "distance", ...(D.classes.length ? ["class"] : [])]];
    chosen.forEach((yes, n) => { if (yes) lines.push([nameOf(n), C[n], distanceOf(n), ...(D.classes.length ? [D.classes[classOf(n)]] : [])]); });
    saveCsv("selected.csv", lines);
  });

  // ---- keys -----------------------------------------------------------------------------------------------

  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const towards = (way, from, to) => { const along = (to[0] - from[0]) * way[0] + (to[1] - from[1]) * way[1], across = Math.abs((to[0] - from[0]) * way[1]) + Math.abs((to[1] - from[1]) * way[0]); return along > 0.5 ? along + 2 * across : Infinity; };
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[event.key], link = event.target.closest("a");
    if (way && link) nextLink(link, way);
    else if (way && event.shiftKey) nextDot(way);
    else if (way) pan(-way[0] * 60, -way[1] * 60);
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") home();
    else if (event.key === "Enter" && !link && pointed >= 0) openDot(pointed);
    else if (event.key === "Escape") point(-1);
    else return;
    event.preventDefault();
  });
  function nextLink(from, way) {
    const at = (link) => [Number(link.dataset.x), Number(link.dataset.y)];
    let best = null, least2 = Infinity;
    for (const link of links) {
      if (link === from || link.style.display === "none") continue;
      const far = towards(way, at(from), at(link));
      if (far < least2) { best = link; least2 = far; }
    }
    if (best) { from.setAttribute("tabindex", "-1"); best.setAttribute("tabindex", "0"); best.focus(); }
  }
  function nextDot(way) {
    if (pointed < 0) { point(nearest([WIDE / 2, HIGH / 2], 1e6)); return; }
    let best = -1, least2 = Infinity;
    for (let n = 0; n < count; n++) {
      if (n === pointed || hiddenClusters[C[n]]) continue;
      const far = towards(way, [X[pointed] * view.k, Y[pointed] * view.k], [X[n] * view.k, Y[n] * view.k]);
      if (far < least2) { best = n; least2 = far; }
    }
    if (best >= 0) point(best);
  }
  function light(c) { lit = c; svg.classList.toggle("focus", c !== null); draw(); }
  links.forEach((link, n) => {
    link.setAttribute("tabindex", n === links.length - 1 ? "0" : "-1");
    for (const event of ["mouseenter", "focus"]) link.addEventListener(event, () => { point(-1); light(Number(link.dataset.c)); tellCluster(link); });
    for (const event of ["mouseleave", "blur"]) link.addEventListener(event, () => { light(null); tip.hidden = true; });
    link.querySelector("title")?.remove(); // the tip says it, and at once
  });

  $("color").addEventListener("change", recolor);
  document.querySelector(".maptools").hidden = false;
  resize();
  if ("ResizeObserver" in window) new ResizeObserver(resize).observe(box);
  recolor();
  return {
    recolor, resize, count, nameOf, // where a graph stands in the window, for those who point at it
    at: (n) => { const b = canvas.getBoundingClientRect(), s = b.width / WIDE; return [b.left + (X[n] * view.k + view.x) * s, b.top + (Y[n] * view.k + view.y) * s]; },
    hide: (shown) => { D.clusters.forEach((_, c) => { hiddenClusters[c] = shown(c) ? 0 : 1; }); [...links, ...leads].forEach((one) => (one.style.display = hiddenClusters[one.dataset.c] ? "none" : "")); draw(); },
  };
}

// Save lines as a CSV file. A cell that a spreadsheet would take for a formula gets a quote before it.
function saveCsv(name, lines) {
  const cell = (value) => { let text = String(value ?? ""); if (/^\s*[=+\-@]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`; return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
  const text = lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
