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
