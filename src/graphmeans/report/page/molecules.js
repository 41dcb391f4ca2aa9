"use strict";
// Molecules as RDKit drew them (see chemistry/drawing.py), from short lists; and the slider of the common core.
function moleculePicture(m) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "mol");
  svg.setAttribute("viewBox", m.v.join(" "));
  svg.setAttribute("aria-hidden", "true");
  for (const [tenth, d] of m.u || []) addSvg(svg, "path", { class: `u u${tenth}`, d });
  for (const [ink, d] of Object.entries(m.s)) addSvg(svg, "path", { class: `i${ink}`, d });
  for (const [ink, d] of Object.entries(m.f || {})) addSvg(svg, "path", { class: `i${ink} full`, d });
  for (const [x, y, size, ink, text] of m.t || []) addSvg(svg, "text", { class: `i${ink}`, x, y, "font-size": size }, text);
  return svg;
}

// A member and the medoid of its cluster side by side, as the viewer shows them.
function besideMedoid(g, D) {
  const medoid = D.graphs[D.clusters[g.c].medoid];
  return besideEachOther(medoid && medoid !== g && medoid.mol ? [[g, g.name], [medoid, `medoid: ${medoid.name}`]] : [[g, g.name]]);
}

// Molecules side by side, with a caption each.
function besideEachOther(rows) {
  const box = document.createElement("div");
  box.className = "beside";
  for (const [one, said] of rows) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption"), svg = moleculePicture(one.mol);
    svg.removeAttribute("aria-hidden");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", said);
    caption.textContent = said;
    figure.append(svg, caption);
    box.append(figure);
  }
  return box;
}

// Long names below small pictures may be broken between the parts that they are made of.
const NAME_PARTS = /(acyl|amino|aryl|azo|benz[aeo]?|bi|carb|carbox|chloro|cyclo|cyclohex|dihydro|di|diphenyl|furo|heteroaryl|hydro|hydrogen|imid[ao]zo|indazo|iso|meth|methyl|naphth|nitro|oxa|phen|phenyl|pip|pyr|pyrano|pyrazolo|pyrido|pyrrolo|semi|sulfon|tetra|tetrahydro|thia|thieno|thio|tri|triazolo|triphenyl)(?=[a-z]{5,})/g;
for (const small of document.querySelectorAll(".molecules .gallery small")) {
  small.querySelectorAll("span").forEach((locant) => locant.after("\u200b"));
  const walker = document.createTreeWalker(small, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    text.data = text.data.replace(/[A-Za-z]{10,}/g, (word) => word.replace(new RegExp(NAME_PARTS.source, "gi"), "$1\u00ad"));
  }
}

document.querySelectorAll("section.core").forEach((section) => {
  const levels = section.dataset.levels.split(" ").map(Number), label = section.querySelector(".support");
  const slider = label.querySelector("input"), none = section.querySelector(".none"), said = none.querySelector("output");
  const parts = [...section.querySelectorAll(".level")];
  function show() {
    const at = Math.round((Number(slider.value) - Number(slider.min)) / 10), chosen = levels[at];
    parts.forEach((part) => { part.hidden = Number(part.dataset.core) !== chosen; });
    none.hidden = chosen >= 0;
    if (said) said.textContent = `${slider.value}%`;
    const shown = parts.find((part) => !part.hidden);
    slider.setAttribute("aria-valuetext", `${slider.value}%: ${shown ? shown.querySelector("figcaption").textContent : "no core"}`);
  }
  label.hidden = parts.length === 0;
  slider.addEventListener("input", show);
  show();
});
