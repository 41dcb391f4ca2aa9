(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const paint = painter(D), { element, pair } = paint;

  // ---- addresses --------------------------------------------------------------------------------------

  let ignored = false, then = null;
  function remember(hash) {
    try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { /* a page without an address */ }
  }
  function goBack(next) { ignored = true; then = next; history.back(); }
  const drawnAt = new Map(D.graphs.map((g, n) => [g.i, n]));
  const nameAt = (i) => (drawnAt.has(i) ? D.graphs[drawnAt.get(i)].name : D.everyone ? D.everyone.names[i] : `graph ${i}`);
  function notice(text) {
    $("notice").hidden = !text;
    $("notice").textContent = text || "";
  }
  // A graph that is not drawn on this page, by its position in the collection.
  function missing(i) {
    const known = D.everyone && i < D.everyone.names.length;
    const where = known ? `“${nameAt(i)}” is in cluster ${D.everyone.labels[i]}, but it` : i < D.total ? `Graph ${i}` : null;
    notice(where ? `${where} is not drawn on this page, which holds ${D.graphs.length.toLocaleString("en")} of ${D.total.toLocaleString("en")} graphs. “graphmeans report RESULTS INPUT --members all” makes a page with all of them.` : `There is no graph ${i}: the collection has ${D.total.toLocaleString("en")}.`);
    $("notice").scrollIntoView({ block: "nearest" });
  }

  const members = memberViews(D, paint, { remember, goBack }), { thumb, open, inCluster, viewer } = members;
  members.missing = missing;

  // ---- clusters: thumbnails when they come into view ----------------------------------------------------

  function fill(list) {
    if (list.dataset.members === undefined) return;
    const rows = list.dataset.members ? list.dataset.members.split(" ").map(Number) : [];
    delete list.dataset.members;
    list.append(...rows.map(thumb));
  }
  function fillPair(box) {
    if (!box || box.dataset.pair === undefined) return; // cards of networks have no such picture
    const c = Number(box.dataset.pair), mean = D.clusters[c];
    delete box.dataset.pair;
    if (mean.other === undefined) return;
    const other = D.clusters[mean.other], named = new Set(box.dataset.named.split(" ").filter(Boolean).map(Number));
    const left = mean.n.map((number) => (named.has(number) ? number : 0)), right = new Array(other.p.length / 2).fill(0);
    mean.into.forEach((j, i) => { if (j >= 0) right[j] = left[i]; });
    const medoids = [mean, other].map((one) => [members.detail(one.medoid), `Medoid of ${one.name}`]);
    if (medoids.every(([g]) => g && g.mol)) box.append(besideEachOther(medoids)); // of molecules these say more than means do
    box.append(pair(mean, other, mean.into, medoids[0][0] ? [`Mean of ${mean.name}`, `Mean of ${other.name}`] : [mean.name, other.name], left, right));
  }
  const lists = [...document.querySelectorAll("ul[data-members]")];
  if ("IntersectionObserver" in window) {
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) { fill(entry.target); watch.unobserve(entry.target); }
    }, { rootMargin: "600px" });
    lists.forEach((list) => watch.observe(list));
  } else lists.forEach(fill);
  document.querySelectorAll("details.apart").forEach((details) => details.addEventListener("toggle", () => details.open && fillPair(details.querySelector(".pair"))));
  document.querySelectorAll(".more").forEach((p) => (p.hidden = false));
  const AT_ONCE = 200; // members that are drawn at once
  function further(c) {
    const list = $(`all-${c}`), at = list.children.length, rows = inCluster[c].slice(at, at + AT_ONCE), button = $(`further-${c}`);
    list.append(...rows.map(thumb));
    const left = inCluster[c].length - list.children.length;
    button.hidden = list.hidden || !left;
    button.textContent = `${left.toLocaleString("en")} more`;
  }
  document.querySelectorAll("button[data-all]").forEach((button) => button.addEventListener("click", () => {
    const c = Number(button.dataset.all), list = $(`all-${c}`);
    list.hidden = !list.hidden;
    if (!list.children.length) further(c);
    else $(`further-${c}`).hidden = list.hidden || list.children.length >= inCluster[c].length;
    button.setAttribute("aria-expanded", String(!list.hidden));
  }));
  document.querySelectorAll("button[data-further]").forEach((button) => button.addEventListener("click", () => further(Number(button.dataset.further))));

  // ---- search, sort, filter -------------------------------------------------------------------------

  let map = null;
  const tools = document.querySelector(".tools"), cards = [...document.querySelectorAll("article.cluster")], tiles = [...document.querySelectorAll(".gallery li")];
  const pageOrder = cards.map((card) => Number(card.dataset.c));
  const doubtful = new Set();
  D.graphs.forEach((g) => { if (g.b) doubtful.add(g.c); });
  const present = D.clusters.map((cluster) => new Set(cluster.mix || []));
  const query = () => $("search").value.trim();

  function found(text) {
    const wanted = text.toLowerCase(), hits = [], clusters = new Set(), elsewhere = [];
    D.graphs.forEach((g, n) => { if (g.name.toLowerCase().includes(wanted)) { hits.push(n); clusters.add(g.c); } });
    D.classes.forEach((name, k) => { if (name.toLowerCase() === wanted || `class ${name}`.toLowerCase() === wanted) present.forEach((kinds, c) => kinds.has(k) && clusters.add(c)); });
    cards.forEach((card) => { if (card.querySelector("h3").textContent.replace(/^Cluster \d+/, "").toLowerCase().includes(wanted)) clusters.add(Number(card.dataset.c)); });
    const asked = wanted.match(/^(?:cluster\s*)?#?(\d+)$/);
    if (asked && D.clusters[Number(asked[1])]) clusters.add(Number(asked[1]));
    if (D.everyone) {
      for (let i = 0; i < D.everyone.names.length; i++) {
        if (drawnAt.has(i) || !D.everyone.names[i].toLowerCase().includes(wanted)) continue;
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
      const row = new Map([...document.querySelectorAll("#distinctions-table tbody tr")].map((tr) => [tr.dataset.c, tr]));
      if (row.size) document.querySelector("#distinctions-table tbody").append(...order.map((card) => row.get(card.dataset.c)));
      if ($("order")) $("order").textContent = $("sort").selectedOptions[0].dataset.said;
    }
    $("found").textContent = `${count} of ${cards.length} clusters`;
    $("nothing").hidden = count > 0;
    showHits(result, text);
    if (map) map.hide((c) => !cardOf.get(String(c)).hidden);
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
      box.append(element("p", {}, `Not drawn on this page, only dots on the map: ${some}${result.elsewhere.length > 12 ? " …" : ""}`));
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

  // ---- map, tree, table ---------------------------------------------------------------------------------

  map = mapView(D, paint, members, nameAt);
  window.graphMap = map;
  const tree = [...document.querySelectorAll(".tree details")];
  if (tree.length) {
    $("tree-tools").hidden = false;
    $("unfold").addEventListener("click", () => tree.forEach((details) => { details.open = true; }));
    $("fold").addEventListener("click", () => tree.forEach((details) => { details.open = false; }));
  }
  const table = $("distinctions-table");
  if (table) {
    $("export-table").hidden = false;
    $("export-table").addEventListener("click", () => saveCsv("clusters.csv", [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))));
  }

  // ---- printing: two pages; the cards if they are asked for ---------------------------------------------

  document.querySelector(".printing").hidden = false;
  let closed = [];
  const printed = () => $("print-cards").checked;
  $("print-cards").addEventListener("change", () => document.body.classList.toggle("with-cards", printed()));
  window.addEventListener("beforeprint", () => {
    if (!printed()) return;
    lists.forEach(fill);
    closed = [...document.querySelectorAll("details.apart:not([open])")];
    closed.forEach((details) => { fillPair(details.querySelector(".pair")); details.open = true; });
  });
  window.addEventListener("afterprint", () => { closed.forEach((details) => { details.open = false; }); closed = []; });

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
    map.recolor();
  }
  dress(theme);
  $("theme").hidden = false;
  $("theme").addEventListener("click", () => dress(themes[(themes.indexOf(theme) + 1) % themes.length]));

  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", map.recolor);

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey || viewer.open) return;
    if (event.key === "/" && !typing) { event.preventDefault(); $("search").focus(); }
    else if (event.key === "Escape" && document.activeElement === $("search")) { $("search").value = ""; refresh(); remember(""); }
  });

  function follow() {
    if (ignored) {
      const next = then;
      ignored = false;
      then = null;
      if (next) next();
      return;
    }
    let hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash); } catch { /* as it is */ }
    const graph = hash.match(/^graph-(\d+)$/), cluster = hash.match(/^cluster-(\d+)$/);
    notice("");
    if (graph) {
      const n = drawnAt.get(Number(graph[1]));
      if (n !== undefined) open(n, inCluster[D.graphs[n].c]);
      else missing(Number(graph[1]));
    } else if (cluster) {
      const card = cardOf.get(String(Number(cluster[1])));
      if (!card) { notice(`There is no cluster ${cluster[1]}: they are numbered from 0 to ${D.clusters.length - 1}.`); return; }
      if (card.hidden) { $("search").value = ""; $("filter").value = ""; refresh(); }
      card.scrollIntoView();
      card.querySelectorAll("ul[data-members]").forEach(fill);
      setTimeout(() => card.scrollIntoView(), 60); // lists above it fill up as they come near
      card.focus({ preventScroll: true });
    } else if (hash.startsWith("search=")) {
      $("search").value = hash.slice(7);
      refresh();
      tools.scrollIntoView();
    } else if (hash && !document.getElementById(hash)) notice(`This page has nothing called “${hash}”.`);
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
