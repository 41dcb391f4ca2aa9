(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const { element, group, sheet, around1, pair } = painter(D);

  function thumb(n) {
    const g = D.graphs[n], svg = g.mol ? moleculePicture(g.mol) : sheet();
    svg.setAttribute("aria-hidden", "true");
    if (g.mol) return thumbOf(n, svg);
    if (D.shared) svg.append(group(D.clusters[g.c], { small: true, ghost: true }));
    else svg.setAttribute("viewBox", around1(g)); // no common plane: the member fills its picture
    svg.append(group(g, { small: true }));
    return thumbOf(n, svg);
  }
  function thumbOf(n, svg) {
    const g = D.graphs[n];
    const known = g.k === undefined ? "" : `, class ${D.classes[g.k]}`;
    const other = g.k !== undefined && majority(g.c) !== g.k;
    const button = element("button", { type: "button", class: other ? "thumb other" : "thumb", "data-g": n, "aria-label": `${g.name}${known}, distance ${g.r}. Open`, title: `${g.name}${known}, distance ${g.r}` });
    button.append(svg);
    if (other) button.append(element("b", { "aria-hidden": "true" }, D.classes[g.k]));
    const item = element("li");
    item.append(button);
    return item;
  }

  // ---- clusters: thumbnails when they come into view ----------------------------------------------

  const inCluster = D.clusters.map(() => []);
  D.graphs.forEach((g, n) => inCluster[g.c].push(n));
  inCluster.forEach((rows) => rows.sort((a, b) => D.graphs[a].r - D.graphs[b].r));
  const majorities = new Map();
  function majority(c) {
    if (!majorities.has(c)) majorities.set(c, D.clusters[c].k === undefined ? -1 : D.clusters[c].k);
    return majorities.get(c);
  }

  function fill(list) {
    if (list.dataset.members === undefined) return;
    const rows = list.dataset.members ? list.dataset.members.split(" ").map(Number) : [];
    delete list.dataset.members;
    list.append(...rows.map(thumb));
  }
  function fillPair(box) {
    if (box.dataset.pair === undefined) return;
    const c = Number(box.dataset.pair), mean = D.clusters[c];
    delete box.dataset.pair;
    if (mean.other === undefined) return;
    const other = D.clusters[mean.other], back = new Array(other.p.length / 2).fill(0);
    mean.into.forEach((j, i) => { if (j >= 0) back[j] = mean.n[i]; });
    box.append(pair(mean, other, mean.into, [mean.name, other.name], back));
  }
  const lists = [...document.querySelectorAll("ul[data-members]")];
  if ("IntersectionObserver" in window) {
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) { fill(entry.target); watch.unobserve(entry.target); }
    }, { rootMargin: "600px" });
    lists.forEach((list) => watch.observe(list));
  } else lists.forEach(fill);
  let closed = [];
  window.addEventListener("beforeprint", () => {
    lists.forEach(fill);
    closed = [...document.querySelectorAll("details.apart:not([open])")];
    closed.forEach((details) => { fillPair(details.querySelector(".pair")); details.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));
  document.querySelectorAll("details.apart").forEach((details) => details.addEventListener("toggle", () => details.open && fillPair(details.querySelector(".pair"))));
  document.querySelectorAll(".more").forEach((p) => (p.hidden = false));
  document.querySelectorAll("button[data-all]").forEach((button) => button.addEventListener("click", () => {
    const c = Number(button.dataset.all), list = $(`all-${c}`);
    if (!list.children.length) list.append(...inCluster[c].map(thumb));
    list.hidden = !list.hidden;
    button.setAttribute("aria-expanded", String(!list.hidden));
  }));

  // ---- one graph, large -----------------------------------------------------------------------------

  const viewer = $("viewer");
  let around = [], current = -1, opener = null;

  function open(n, list = null) {
    const g = D.graphs[n];
    if (!g) return;
    if (!viewer.open) opener = document.activeElement;
    if (list) around = list;
    else if (!around.includes(n)) around = inCluster[g.c];
    current = n;
    const mean = D.clusters[g.c];
    $("viewer-name").textContent = g.name;
    const facts = $("viewer-facts");
    facts.textContent = "";
    if (g.k !== undefined) facts.append(`class ${D.classes[g.k]} · `);
    facts.append("in ");
    facts.append(clusterLink(g.c), ` at distance ${g.r}`);
    if (g.c2 !== undefined) facts.append(" · next ", clusterLink(g.c2), ` at ${g.r2}`);
    if (g.pm !== undefined) facts.append(provenWords(g));
    const overlay = { ...g };
    $("viewer-picture").replaceChildren(pair(overlay, mean, g.m, [g.name, `mean of ${mean.size}`], mean.n));
    if (g.mol) $("viewer-picture").prepend(besideMedoid(g, D));
    const unmatched = g.m.filter((j, i) => j < 0 && !(g.h || []).includes(i)).length, odd = (g.xs || []).length + (g.xn || []).length;
    $("viewer-note").textContent = (odd ? "Orange: unusual in this cluster. " : "Nothing unusual in this cluster. ") + (unmatched ? `${unmatched} node${unmatched > 1 ? "s have" : " has"} no counterpart in the mean.` : "");
    table(g, mean);
    if (!viewer.open) viewer.showModal();
    viewer.scrollTop = 0;
    remember(`#graph-${g.i}`);
  }

  // What a certificate says: pm is 1 - distance / (what every other mean is at least away), or -1 without a proof.
  function provenWords(g) {
    if (g.pm < 0) return " · not proven to be the nearest mean";
    if (g.pm >= 1 || !g.r) return " · proven to be the nearest mean";
    return ` · proven: every other mean is at least ${Number((g.r / (1 - g.pm)).toPrecision(3))} away`;
  }

  function clusterLink(c) {
    const link = element("a", { href: `#cluster-${c}` }, D.clusters[c].name);
    link.addEventListener("click", () => viewer.close());
    return link;
  }

  function table(g, mean) {
    const box = $("viewer-table");
    box.replaceChildren();
    if (!g.a || !g.a.length) { box.hidden = true; return; }
    box.hidden = false;
    const made = element("table"), head = element("tr"), body = element("tbody");
    for (const title of ["node of the mean", "members that have it", ...D.columns.flatMap((c) => [c, `${c}, mean`])]) head.append(element("th", { scope: "col" }, title));
    const rows = g.m.map((j, i) => [j, i]).filter(([, i]) => !(g.h || []).includes(i));
    rows.sort(([a], [b]) => (a < 0 ? 1e9 : mean.n[a] || 1e8) - (b < 0 ? 1e9 : mean.n[b] || 1e8));
    rows.forEach(([j, i]) => {
      const row = element("tr");
      row.append(element("th", { scope: "row" }, j >= 0 ? mean.n[j] || "not drawn" : "none"), element("td", {}, j >= 0 ? `${mean.f[j]}%` : "–"));
      g.a.forEach((column, c) => {
        row.append(element("td", {}, column[i] ?? "–"), element("td", {}, j >= 0 && mean.a[c] ? mean.a[c][j] ?? "–" : "–"));
      });
      body.append(row);
    });
    const top = element("thead");
    top.append(head);
    made.append(top, body);
    box.append(made);
  }

  function step(by) {
    const at = around.indexOf(current);
    if (around.length) open(around[(at + by + around.length) % around.length]);
  }
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("close").addEventListener("click", () => viewer.close());
  viewer.addEventListener("click", (event) => { if (event.target === viewer) viewer.close(); });
  viewer.addEventListener("close", () => {
    if (location.hash.startsWith("#graph-")) remember(query() ? `#search=${encodeURIComponent(query())}` : "");
    if (opener && opener.isConnected && opener.focus) opener.focus();
  });
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-g]");
    if (!target) return;
    const list = target.closest("ul") ? [...target.closest("ul").querySelectorAll("[data-g]")].map((b) => Number(b.dataset.g)) : null;
    open(Number(target.dataset.g), list);
  });

  // ---- search, sort, filter -------------------------------------------------------------------------

  const tools = document.querySelector(".tools"), cards = [...document.querySelectorAll("article.cluster")], tiles = [...document.querySelectorAll(".gallery li")];
  const pageOrder = cards.map((card) => Number(card.dataset.c));
  const doubtful = new Set();
  D.graphs.forEach((g) => { if (g.r2 !== undefined && g.r > 0.9 * g.r2) doubtful.add(g.c); });
  const present = D.clusters.map((cluster) => new Set(cluster.mix || []));
  const query = () => $("search").value.trim();

  function found(text) {
    const wanted = text.toLowerCase(), hits = [], clusters = new Set(), elsewhere = [];
    D.graphs.forEach((g, n) => { if (g.name.toLowerCase().includes(wanted)) { hits.push(n); clusters.add(g.c); } });
    D.classes.forEach((name, k) => { if (name.toLowerCase() === wanted) present.forEach((kinds, c) => kinds.has(k) && clusters.add(c)); });
    const asked = wanted.match(/^(?:cluster\s*)?#?(\d+)$/);
    if (asked && D.clusters[Number(asked[1])]) clusters.add(Number(asked[1]));
    if (D.everyone) {
      const here = new Set(D.graphs.map((g) => g.i));
      for (let i = 0; i < D.everyone.names.length; i++) {
        if (here.has(i) || !D.everyone.names[i].toLowerCase().includes(wanted)) continue;
        clusters.add(D.everyone.labels[i]);
        elsewhere.push(i);
      }
    }
    return { hits, clusters, elsewhere };
  }

  function fits(c, card) {
    const wanted = $("filter").value, size = Number(card.dataset.size), purity = card.dataset.purity === "" ? null : Number(card.dataset.purity);
    if (wanted === "mixed") return purity !== null && purity < 1;
    if (wanted === "pure") return purity === 1;
    if (wanted === "doubtful") return doubtful.has(c);
    if (wanted === "single") return size === 1;
    if (wanted.startsWith("class:")) return present[c].has(Number(wanted.slice(6)));
    return true;
  }

  function ordered() {
    const by = $("sort").value, of = (card, key) => (card.dataset[key] === "" ? Infinity : Number(card.dataset[key]));
    const keys = {
      size: (a, b) => of(b, "size") - of(a, "size"), purity: (a, b) => of(a, "purity") - of(b, "purity"), tight: (a, b) => of(a, "tight") - of(b, "tight"),
      loose: (a, b) => (b.dataset.tight || 0) - (a.dataset.tight || 0), label: (a, b) => of(a, "c") - of(b, "c"),
    };
    const place = new Map(pageOrder.map((c, n) => [c, n]));
    return [...cards].sort((a, b) => (keys[by] ? keys[by](a, b) : 0) || place.get(Number(a.dataset.c)) - place.get(Number(b.dataset.c)));
  }

  function refresh() {
    const text = query(), result = text ? found(text) : null;
    const order = ordered(), tile = new Map(tiles.map((li) => [li.dataset.c, li]));
    let count = 0;
    for (const card of order) {
      const c = Number(card.dataset.c), shown = fits(c, card) && (!result || result.clusters.has(c));
      card.hidden = !shown;
      tile.get(card.dataset.c).hidden = !shown;
      count += shown;
    }
    if ($("sort").value !== refresh.sorted) {
      refresh.sorted = $("sort").value;
      $("cards").append(...order);
      document.querySelector(".gallery").append(...order.map((card) => tile.get(card.dataset.c)));
    }
    $("found").textContent = `${count} of ${cards.length} clusters`;
    $("nothing").hidden = count > 0;
    showHits(result, text);
    document.querySelectorAll(".map [data-c]").forEach((part) => (part.style.display = cards.length && cardOf.get(part.dataset.c).hidden ? "none" : ""));
  }
  const cardOf = new Map(cards.map((card) => [card.dataset.c, card]));

  function showHits(result, text) {
    const box = $("hits");
    box.replaceChildren();
    box.hidden = !result || !(result.hits.length || result.elsewhere.length || (D.unnamed && !result.clusters.size));
    if (box.hidden) return;
    const most = 60, total = result.hits.length + result.elsewhere.length;
    const limits = D.unnamed ? ` among the ${D.graphs.length.toLocaleString("en")} on this page; the names of the others are with their labels` : "";
    box.append(element("p", {}, `${total || "No"} graph${total === 1 ? "" : "s"} with “${text}” in the name${limits}${result.hits.length > most ? `; the first ${most}` : ""}`));
    const list = element("ul", { class: "members", "aria-label": "Graphs found" });
    list.append(...result.hits.slice(0, most).map(thumb));
    if (result.hits.length) box.append(list);
    if (result.elsewhere.length) {
      const some = result.elsewhere.slice(0, 12).map((i) => `${D.everyone.names[i]} (cluster ${D.everyone.labels[i]})`).join(", ");
      box.append(element("p", {}, `Not drawn on this page: ${some}${result.elsewhere.length > 12 ? " …" : ""}`));
    }
  }

  tools.hidden = false;
  tools.addEventListener("submit", (event) => event.preventDefault());
  let waiting = 0;
  $("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { refresh(); remember(query() ? `#search=${encodeURIComponent(query())}` : ""); }, 120);
  });
  $("sort").addEventListener("change", refresh);
  $("filter").addEventListener("change", refresh);
  $("reset").addEventListener("click", () => { $("search").value = ""; $("filter").value = ""; refresh(); $("search").focus(); });

  // ---- map ------------------------------------------------------------------------------------------

  const map = document.querySelector("svg.map");
  const dots = new Map([...map.querySelectorAll(".dots g")].map((g) => [g.dataset.c, g]));
  const links = [...map.querySelectorAll("a")];
  function light(c) {
    dots.forEach((g, key) => g.classList.toggle("on", key === c));
    map.classList.toggle("focus", c !== null);
  }
  links.forEach((link, n) => {
    link.setAttribute("tabindex", n === links.length - 1 ? "0" : "-1");
    for (const event of ["mouseenter", "focus"]) link.addEventListener(event, () => light(link.dataset.c));
    for (const event of ["mouseleave", "blur"]) link.addEventListener(event, () => light(null));
  });
  const middle = (link) => { const box = link.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
  map.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key], from = event.target.closest("a");
    if (!way || !from) return;
    event.preventDefault();
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const link of links) {
      if (link === from || link.style.display === "none") continue;
      const [u, v] = middle(link), along = (u - x) * way[0] + (v - y) * way[1], across = Math.abs((u - x) * way[1]) + Math.abs((v - y) * way[0]);
      if (along > 1 && along + 2 * across < least) { best = link; least = along + 2 * across; }
    }
    if (best) { from.setAttribute("tabindex", "-1"); best.setAttribute("tabindex", "0"); best.focus(); }
  });
  map.querySelectorAll(".dots circle").forEach((circle) => circle.addEventListener("mouseenter", () => {
    if (circle.firstChild) return;
    const g = D.graphs[Number(circle.dataset.g)], title = document.createElementNS(SVG, "title");
    title.textContent = `${g.name}: ${D.clusters[g.c].name}`;
    circle.append(title);
  }));

  // ---- theme, keys, links, copying ------------------------------------------------------------------

  const themes = ["auto", "light", "dark"];
  let theme = "auto";
  try { theme = localStorage.getItem("graphmeans-theme") || "auto"; } catch { /* a file may have no storage */ }
  function dress(name) {
    theme = themes.includes(name) ? name : "auto";
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    $("theme").textContent = `Theme: ${theme}`;
    try { localStorage.setItem("graphmeans-theme", theme); } catch { /* as above */ }
  }
  dress(theme);
  $("theme").hidden = false;
  $("theme").addEventListener("click", () => dress(themes[(themes.indexOf(theme) + 1) % themes.length]));

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (viewer.open) {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") { event.preventDefault(); step(event.key === "ArrowLeft" ? -1 : 1); }
    } else if (event.key === "/" && !typing) { event.preventDefault(); $("search").focus(); }
    else if (event.key === "Escape" && document.activeElement === $("search")) { $("search").value = ""; refresh(); remember(""); }
  });

  function remember(hash) {
    try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { /* a page without an address */ }
  }
  function follow() {
    const hash = decodeURIComponent(location.hash.slice(1)), graph = hash.match(/^graph-(\d+)$/), cluster = hash.match(/^cluster-(\d+)$/);
    if (graph) {
      const n = D.graphs.findIndex((g) => g.i === Number(graph[1]));
      if (n >= 0) open(n, inCluster[D.graphs[n].c]);
    } else if (cluster) {
      const card = cardOf.get(cluster[1]);
      if (!card) return;
      if (viewer.open) viewer.close();
      if (card.hidden) { $("search").value = ""; $("filter").value = ""; refresh(); }
      card.scrollIntoView();
      card.querySelectorAll("ul[data-members]").forEach(fill);
      setTimeout(() => card.scrollIntoView(), 60); // lists above it fill up as they come near
      card.focus({ preventScroll: true });
    } else if (hash.startsWith("search=")) { $("search").value = hash.slice(7); refresh(); }
  }
  window.addEventListener("hashchange", follow);
  const copy = $("copy");
  if (copy) {
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", () => navigator.clipboard.writeText($("command").textContent).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Press Ctrl+C"; getSelection().selectAllChildren($("command")); }));
  }
  refresh.sorted = $("sort").value;
  refresh();
  follow();
  document.documentElement.dataset.ready = "yes";
})();
