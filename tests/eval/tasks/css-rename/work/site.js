"use strict";
// Opens a card by a click.
for (const card of document.querySelectorAll(".card")) {
  card.addEventListener("click", () => card.classList.toggle("open"));
}

function addCard(text) {
  const card = document.createElement("section");
  card.className = "card new";
  card.dataset.kind = "card";
  card.innerHTML = `<h2 class="card-header"></h2>`;
  card.querySelector(".card-header").textContent = text;
  document.getElementById("card").append(card);
  return document.querySelectorAll("main > .card.new").length;
}

function isCard(element) {
  return element.classList.contains("card");
}
