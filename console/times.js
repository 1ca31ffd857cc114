/** Times: puts the reader's own time in the place of UTC, and UTC beside it. */

const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

for (const place of document.querySelectorAll("time[datetime]")) {
  const at = new Date(place.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const utc = document.createElement("span");
  utc.className = "utc";
  utc.textContent = place.textContent;
  place.replaceChildren(`${day.format(at)}, ${hour.format(at)} `, utc);
}
