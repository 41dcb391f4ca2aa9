// Members: what is known of them is read when they are drawn; thumbnails; one graph large beside its mean.
function memberViews(D, paint, tell) {
  const $ = (id) => document.getElementById(id);
  const { element, elided, group, sheet, extent, around1, framed, pair } = paint, NAME = 34; // letters of a name that fit below a small picture
  const LEAST = 400, ROOMY = 600; // of a sheet of 1000: the least part that is enlarged to a picture, and from where on all of it is shown

  // ---- what is read late ----------------------------------------------------------------------------

  const ordered = D.clusters.map(() => []);
  D.graphs.forEach((g, n) => ordered[g.c].push(n));
  const inCluster = ordered.map((rows) => [...rows].sort((a, b) => D.graphs[a].r - D.graphs[b].r));

  // A graph with everything that is drawn of it: the data of its cluster is read when the first member is asked for.
  function detail(n) {
    const g = D.graphs[n];
    if (g && g.p === undefined) {
      const store = $(`members-${g.c}`);
      JSON.parse(store.textContent).forEach((row, at) => Object.assign(D.graphs[ordered[g.c][at]], row));
      store.remove();
    }
    return g;
  }

  function picture(n) {
    const g = detail(n), svg = g.mol ? moleculePicture(g.mol) : sheet();
    svg.setAttribute("aria-hidden", "true");
    if (g.mol) return svg;
    if (g.im) {
      svg.append(image(g.im));
      svg.setAttribute("viewBox", "0 0 1000 1000");
      return svg;
    }
    const onPlane = D.shared && inSight(g), near = onPlane ? about(g, D.clusters[g.c]) : around1(g), unit = near ? near.unit : 1;
    if (near) svg.setAttribute("viewBox", near.box); // the member fills its picture
    if (onPlane) svg.append(group(D.clusters[g.c], { small: true, ghost: true, unit }));
    if (isLine(g)) { // a line of letters fills a low picture
      const [x0, x1] = extent(g, 0), [y0, y1] = extent(g, 1);
      svg.setAttribute("viewBox", `${x0 - 70} ${(y0 + y1) / 2 - 100} ${x1 - x0 + 140} 200`);
    }
    svg.append(group(g, { small: true, unit }));
    return svg;
  }

  const isLine = (g) => Boolean(D.sequences) && Boolean(g.l) && !(g.s || g.t || []).length && extent(g, 0)[1] - extent(g, 0)[0] > 6 * (extent(g, 1)[1] - extent(g, 1)[0]);

  // Whether anything of a graph lies on the sheet of its cluster. Where the mean is empty, and a member is not, it may lie elsewhere.
  const inSight = (g) => !g.p.length || g.p.some((x, n) => n % 2 === 0 && Math.min(x, g.p[n + 1]) > -90 && Math.max(x, g.p[n + 1]) < 1090);

  // A member and its mean that take little room on the sheet, as other members lie elsewhere, are drawn larger.
  function about(g, mean) {
    const [x, y] = [0, 1].map((from) => [...extent(g, from), ...(mean.f.some((has) => has > 8) ? extent(mean, from) : [])]).map((ends) => [Math.min(...ends), Math.max(...ends)]);
    const side = Math.max(1.25 * Math.max(x[1] - x[0], y[1] - y[0]), LEAST);
    return side < ROOMY ? framed(x[0] + x[1], y[0] + y[1], side) : null;
  }

  function image(address) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "image");
    for (const [key, value] of Object.entries({ href: address, width: 1000, height: 1000, preserveAspectRatio: "none" })) made.setAttribute(key, value);
    return made;
  }

  // Names as they stand below small pictures, by clusters. Of a long one the middle is left out, unless others would read the same:
  // then all that these have in common at their beginning is.
  const shortNames = new Map();
  function shortName(n) {
    const c = D.graphs[n].c;
    if (!shortNames.has(c)) {
      const alike = new Map(), found = new Map();
      for (const m of inCluster[c]) {
        const name = D.graphs[m].name, text = elided(name, NAME);
        if (text === name) continue;
        if (!alike.has(text)) alike.set(text, []);
        alike.get(text).push(m);
      }
      for (const [text, rows] of alike) {
        const names = rows.map((m) => D.graphs[m].name);
        let same = 0;
        while (new Set(names).size > 1 && names.every((name) => name[same] === names[0][same])) same++;
        rows.forEach((m, at) => found.set(m, same > 4 ? `…${elided(names[at].slice(same - 4), NAME - 1)}` : text));
      }
      shortNames.set(c, found);
    }
    return shortNames.get(c).get(n) || D.graphs[n].name;
  }

  function thumb(n) {
    const svg = picture(n), g = D.graphs[n];
    const known = g.k === undefined ? "" : `, class ${D.classes[g.k]}`;
    const named = D.clusters[g.c].named || [], other = g.k !== undefined && named.length > 0 && !named.includes(g.k);
    const button = element("button", { type: "button", class: other ? "thumb other" : "thumb", "data-g": n, "aria-label": `${g.name}${known}, distance ${g.r}. Open`, title: `${g.name}${known}, distance ${g.r}` });
    if (isLine(g)) button.classList.add("line");
    button.append(svg);
    if (g.k !== undefined && (other || named.length !== 1)) button.append(element("b", { "aria-hidden": "true" }, D.classes[g.k]));
    const name = element("span", { class: "name", "aria-hidden": "true" });
    shortName(n).split(/(?<=[./…-])|(?<=[a-z0-9]_)|(?<=[a-z]{3})(?=[A-Z][A-Za-z]{2})|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})|(?<=[a-z]\d)(?=[A-Z][a-z]{2})/).forEach((part, n) => name.append(...(n ? [element("wbr")] : []), part)); // lines end where words do
    button.append(name);
    const item = element("li");
    item.append(button);
    return item;
  }

  // ---- one graph, large -----------------------------------------------------------------------------

  const viewer = $("viewer"), LISTED = 400, MOST_ROWS = D.regions ? 15 : 60; // of a graph with more edges than are listed their number is not known here; names of regions are long: those of a few fit into a picture
  let around = [], current = -1, opener = null, pushed = false, byHistory = false;

  function open(n, list = null) {
    const g = detail(n);
    if (!g) return;
    const before = viewer.open;
    if (!before) opener = document.activeElement;
    if (list) around = list;
    else if (!around.includes(n)) around = inCluster[g.c];
    current = n;
    const mean = D.clusters[g.c];
    $("viewer-name").textContent = g.name;
    facts(g);
    if (g.top) regional(g);
    else aligned(g, mean);
    if (!before) viewer.showModal();
    const table = $("viewer-table");
    table.classList.remove("sideways");
    table.classList.toggle("sideways", table.scrollWidth > table.clientWidth + 1);
    table.scrollLeft = 0;
    viewer.scrollTop = 0;
    const hash = `#graph-${g.i}`;
    try {
      if (before || location.hash === hash) history.replaceState(history.state, "", hash);
      else { history.pushState({ member: true }, "", hash); pushed = true; }
    } catch { /* a page without an address */ }
  }

  // A network on named nodes: there is nothing to align, and lines between all of them would be a tangle.
  function regional(g) {
    $("viewer-picture").replaceChildren(regionView(g, D, paint, Math.min(920, window.innerWidth - 60)));
    $("viewer-note").textContent = "Red: stronger in this network than in the mean of its cluster. Blue: weaker. The wider a line, the more.";
    $("viewer-table").replaceChildren(regionTable(g, D, paint));
    $("viewer-table").hidden = false;
  }

  // Any other graph, beside its mean.
  function aligned(g, mean) {
    const told = tableRows(g, mean);
    const both = pair(g, mean, g.m, [g.name, `mean of ${mean.size.toLocaleString("en")}`], told.left, told.right);
    if (g.mol) $("viewer-picture").replaceChildren(besideMedoid(g, D), folded(both)); // the mean of molecules may be in pieces: it comes last
    else $("viewer-picture").replaceChildren(both);
    const odd = (g.xs || []).length + (g.xn || []).length, unmatched = g.m.filter((j, i) => j < 0 && !(g.h || []).includes(i)).length;
    const gone = missing(g, mean), other = g.mol ? "" : otherKinds(g, mean);
    $("viewer-note").textContent = [
      g.mol && "Shade: the share of members with the same atom there, or the same bond between the same atoms.",
      odd ? `Orange${g.mol ? ", in the alignment" : ""}: unusual in this cluster.` : gone === "" && other === "" && "Nothing in it is where few members have something.",
      other,
      gone,
      unmatched && `${unmatched} node${unmatched > 1 ? "s have" : " has"} no counterpart in the mean (letters).`,
      "Shares are of the squared distance.",
      told.holes && "—: no value here, or in the mean, where more than half of the members have none.",
    ].filter(Boolean).join(" ");
    tables(told);
  }

  // Which of its nodes are of another kind than most members have there.
  function otherKinds(g, mean) {
    const own = g.l || g.kd, usual = mean.l || mean.kd, found = [];
    if (!own || !usual) return "";
    g.m.forEach((j, i) => { if (j >= 0 && mean.n[j] && mean.f[j] >= 50 && own[i] !== usual[j]) found.push([mean.n[j], `${D.labels[own[i]] || "none"} in place of ${D.labels[usual[j]]} at ${mean.n[j]} (${mean.f[j]}%)`]); });
    const said = found.sort((a, b) => a[0] - b[0]).slice(0, 6).map(([, words], n) => (n ? words : words.replace("%)", "% of the members)")));
    return said.length ? `Of another kind than most: ${said.join(", ")}${found.length > 6 ? ` and ${found.length - 6} more` : ""}.` : "";
  }

  // What at least four fifths of the members have and this one has not; edges of a missing node are missed with it. Nothing if that
  // is not known, as there are too many edges.
  function missing(g, mean) {
    const here = new Set(g.m), ends = (i, j) => `${Math.min(i, j)} ${Math.max(i, j)}`, found = [], edges = new Set(), e = mean.e, own = g.de || [];
    if (own.length >= 3 * LISTED || (!e.length && g.me)) return undefined;
    mean.f.forEach((has, j) => { if (has >= 80 && mean.n[j] && !here.has(j)) found.push([has, `node ${mean.n[j]}`]); });
    for (let at = 0; at < own.length; at += 3) edges.add(ends(g.m[own[at]], g.m[own[at + 1]]));
    mean.ef.forEach((has, n) => {
      const [i, j] = [e[2 * n], e[2 * n + 1]];
      if (has < 80 || !here.has(i) || !here.has(j) || edges.has(ends(i, j))) return;
      edges.add(ends(i, j));
      found.push([has, `edge ${mean.n[i]}–${mean.n[j]}`]);
    });
    const said = found.sort((a, b) => b[0] - a[0]).slice(0, 8).map(([has, what], n) => `${what} (${has}%${n ? "" : " of the members have it"})`);
    return said.length ? `Missing: ${said.join(", ")}${found.length > 8 ? ` and ${found.length - 8} more` : ""}.` : "";
  }

  let unfolded = false; // as the last member was left
  function folded(picture) {
    const details = element("details", { class: "alignment" });
    details.open = unfolded;
    details.append(element("summary", {}, "Its alignment with the mean graph, by the numbers of the table"), picture);
    details.addEventListener("toggle", () => { unfolded = details.open; });
    return details;
  }

  function facts(g) {
    const said = $("viewer-facts");
    said.textContent = "";
    if (g.k !== undefined) said.append(`class ${D.classes[g.k]} · `);
    said.append("in ", clusterLink(g.c), ` at distance ${g.r}`);
    if (g.c2 !== undefined) said.append(...secondWords(g));
    if (g.pm !== undefined) said.append(provenWords(g));
  }

  // The second cluster: whether the graph is near the border to it, else how much farther it is. Some distances are only bounds.
  function secondWords(g) {
    const most = g.u ? "at most " : "", away = g.u ? `, at most ${g.r2} away` : ` at ${g.r2}`, link = clusterLink(g.c2);
    if (g.b) return [" · near the border to ", link, away];
    if (g.r2 <= 2 * g.r) return [" · next: ", link, away];
    const times = g.r ? `${most}${Number((g.r2 / g.r).toPrecision(2))} times as far, at ${g.r2}` : `${most}${g.r2} away`;
    return [g.u ? " · the next one known, " : " · clearly: the next one, ", link, `, is ${times}`];
  }

  // What a certificate says: pm is 1 - distance / (what every other mean is at least away), or -1 without a proof. Both are rounded:
  // the bound is taken below what they may have been, and rounded down. It says nothing new if the second mean is known to be there.
  function provenWords(g) {
    if (g.pm < 0) return " · not proven to be the nearest mean";
    const unit = (x) => 10 ** (Math.floor(Math.log10(x)) - 3), least = g.r ? (g.r - unit(g.r) / 2) / (1 - g.pm) : 0;
    if (g.pm >= 1 || least <= g.r || (!g.u && least > 0.998 * g.r2)) return " · proven to be the nearest mean";
    return ` · proven: no other mean is nearer than ${Number((Math.floor(least / unit(least)) * unit(least)).toPrecision(4))}`;
  }

  function clusterLink(c) {
    const link = element("a", { href: `#cluster-${c}` }, D.clusters[c].name);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const to = `#cluster-${c}`;
      close(() => { location.hash = to; });
    });
    return link;
  }

  const letter = (n) => (n < 26 ? "" : String.fromCharCode(96 + Math.floor(n / 26))) + String.fromCharCode(97 + (n % 26));
  const shareWords = (t) => (t === undefined ? "–" : `${(t / 10).toFixed(1)}%`);

  // The rows of both tables, the largest shares first, and the names of exactly the nodes that are in them.
  function tableRows(g, mean) {
    const hidden = new Set(g.h || []), names = [];
    let letters = 0;
    g.m.forEach((j, i) => names.push(j >= 0 && mean.n[j] ? String(mean.n[j]) : letter(letters++)));
    const value = (columns, at) => (columns || []).map((column) => (at < 0 ? null : column[at]));
    const nodes = g.m.map((j, i) => ({ i, j, name: names[i], share: g.dn ? g.dn[i] : undefined, has: j >= 0 ? mean.f[j] : null, here: value(g.a, i), there: value(j >= 0 ? mean.a : null, j) })).filter((row) => !hidden.has(row.i));
    for (let at = 0; at < (g.mn || []).length; at += 2) {
      const j = g.mn[at];
      if (mean.n[j]) nodes.push({ i: -1, j, name: String(mean.n[j]), share: g.mn[at + 1], has: mean.f[j], here: [], there: value(mean.a, j) });
    }
    const edgeOf = new Map();
    for (let e = 0; e < (mean.e || []).length / 2; e++) edgeOf.set(`${Math.min(mean.e[2 * e], mean.e[2 * e + 1])} ${Math.max(mean.e[2 * e], mean.e[2 * e + 1])}`, e);
    const edges = [];
    for (let e = 0; e < (g.de || []).length / 3; e++) {
      const [a, b, share] = g.de.slice(3 * e, 3 * e + 3), ends = [g.m[a], g.m[b]];
      const at = Math.min(...ends) < 0 ? undefined : edgeOf.get(`${Math.min(...ends)} ${Math.max(...ends)}`);
      edges.push({ name: `${names[a]}–${names[b]}`, share, nodes: [a, b], has: at === undefined ? null : mean.ef[at], here: value(g.ea, e), there: at === undefined ? [] : value(mean.ea, at) });
    }
    for (let at = 0; at < (g.me || []).length; at += 3) {
      const [a, b, share] = g.me.slice(at, at + 3);
      if (!mean.n[a] || !mean.n[b]) continue;
      const e = edgeOf.get(`${Math.min(a, b)} ${Math.max(a, b)}`);
      edges.push({ name: `${mean.n[a]}–${mean.n[b]}`, share, ends: [a, b], has: e === undefined ? null : mean.ef[e], here: [], there: e === undefined ? [] : value(mean.ea, e), missing: true });
    }
    const most = (rows) => [...rows].sort((x, y) => (y.share || 0) - (x.share || 0)).slice(0, MOST_ROWS);
    // Where every member has every node, and nodes have no numbers, rows of them would say nothing.
    const telling = D.regions ? nodes.filter((row) => row.share || row.has !== 100 || row.here.length) : nodes;
    const shown = { nodes: most(telling), edges: most(edges), count: [nodes.length, edges.length] };
    const left = new Array(g.m.length).fill(0), right = new Array(mean.n.length).fill(0);
    const mark = (i, j) => { if (i >= 0) left[i] = names[i]; if (j >= 0 && mean.n[j]) right[j] = mean.n[j]; };
    shown.nodes.forEach((row) => mark(row.i, row.j));
    shown.edges.forEach((row) => { (row.nodes || []).forEach((i) => mark(i, g.m[i])); (row.ends || []).forEach((j) => { mark(-1, j); const i = g.m.indexOf(j); if (i >= 0) mark(i, j); }); });
    const holes = [...shown.nodes, ...shown.edges].some((row) => [...row.here, ...row.there].includes(null));
    return { ...shown, left, right, holes };
  }

  function tables(told) {
    const box = $("viewer-table");
    box.replaceChildren();
    const kinds = [["Nodes", told.nodes, told.count[0], D.columns], ["Edges", told.edges, told.count[1], D.edge_columns || []]];
    for (const [title, rows, count, columns] of kinds) {
      if (!rows.length) continue;
      const made = element("table"), head = element("tr"), body = element("tbody"), top = element("thead");
      made.append(element("caption", {}, count > rows.length ? `${title}: the ${rows.length} ${count < LISTED ? `of ${count} ` : ""}with the largest shares` : title));
      for (const name of [title === "Nodes" ? "node" : "edge", "share of the distance", D.labels.length ? "members that have it, of these kinds" : "members that have it", ...columns.flatMap((c) => [c, `${c}, mean`])]) head.append(element("th", { scope: "col" }, name));
      for (const row of rows) {
        const line = element("tr");
        line.append(element("th", { scope: "row" }, row.i === -1 || row.missing ? `${row.name}, missing here` : row.name), element("td", {}, shareWords(row.share)), element("td", {}, row.has === null || row.has === undefined ? "–" : `${row.has}%`));
        columns.forEach((_, c) => line.append(element("td", {}, row.here[c] ?? "—"), element("td", {}, row.there[c] ?? "—")));
        body.append(line);
      }
      top.append(head);
      made.append(top, body);
      box.append(made);
    }
    box.hidden = !box.children.length;
  }

  function step(by) {
    const at = around.indexOf(current);
    if (around.length) open(around[(at + by + around.length) % around.length]);
  }

  let afterwards = null;
  function close(then = null) {
    afterwards = then;
    if (viewer.open) viewer.close();
    else if (then) then();
  }
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("close").addEventListener("click", () => close());
  viewer.addEventListener("click", (event) => { if (event.target === viewer) close(); });
  viewer.addEventListener("close", () => {
    const then = afterwards, back = pushed && !byHistory;
    afterwards = null;
    // Where the reader is: at what opened the view, or, as this comes a moment after it has closed, somewhere else by now. Going back
    // in history lets the browser move the focus to what the address names.
    const nowhere = (e) => !e || e === document.body || viewer.contains(e) || `#${e.id}` === location.hash;
    const reader = nowhere(document.activeElement) ? opener : document.activeElement;
    const refocus = () => { if (nowhere(document.activeElement) && reader && reader.isConnected && reader.focus) reader.focus({ preventScroll: true }); };
    if (back) tell.goBack(() => { if (then) then(); else refocus(); });
    else if (location.hash.startsWith("#graph-") && !byHistory) { tell.remember(""); if (then) then(); }
    else if (then) then();
    pushed = byHistory = false;
    refocus();
  });
  // Back closes a member, and so does an address of something else, also of a graph that is not here: what is said of it would be hidden.
  window.addEventListener("popstate", () => {
    const asked = location.hash.match(/^#graph-(\d+)$/);
    if (viewer.open && !(asked && D.graphs.some((g) => g.i === Number(asked[1])))) { byHistory = true; viewer.close(); }
  });
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-g]");
    if (!target) return;
    const list = target.closest("ul") ? [...target.closest("ul").querySelectorAll("[data-g]")].map((b) => Number(b.dataset.g)) : null;
    open(Number(target.dataset.g), list);
  });
  document.addEventListener("keydown", (event) => {
    if (!viewer.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") { event.preventDefault(); step(event.key === "ArrowLeft" ? -1 : 1); }
  });

  return { detail, picture, thumb, open, close, inCluster, viewer };
}
