/** The same file given twice to a real WordPress is one attachment, whoever uploaded it first and whatever it is called. */
import assert from "node:assert/strict";
import { type Args, freshPng } from "../cms_kit.ts";
import { onWordPress, Real } from "./_wordpress.ts";

const open = { site_id: "open" };

onWordPress({
  async "the same file is answered with the first, by the same name, another one, and from a person"(site) {
    await using at = await Real.open(site);
    const count = async () =>
      (await at.ask.rest("admin", "GET", "/media?per_page=100")).body as unknown as Args[];
    const args = { ...open, filename: "team.png", content_base64: freshPng(), alt_text: "Us" };
    const first = await at.kit.write<Args & { id: number }>("rest", "upload_media", args);
    const before = (await count()).length;
    for (const filename of ["team.png", "Another.png"]) {
      const again = await at.kit.write<Args>("mcp", "upload_media", { ...args, filename });
      assert.deepEqual([again.done["id"], again.done["already_there"]], [first.done.id, true]);
      assert.deepEqual([again.done["url"], again.proof.verified], [first.done["url"], true]);
    }
    assert.equal((await count()).length, before);
    const content_base64 = freshPng();
    const headers = {
      "content-type": "image/png",
      "content-disposition": 'attachment; filename="person.png"',
    };
    const sent = await at.ask.rest("ed", "POST", "/media", Uint8Array.fromBase64(content_base64), headers);
    const theirs = await at.kit.write<Args>("rest", "upload_media", {
      ...open,
      filename: "mine.png",
      content_base64,
    });
    assert.deepEqual([theirs.done["id"], theirs.done["already_there"]], [sent.body["id"], true]);
  },

  async "an image of which only the size is the same is uploaded, and one that was taken away is too"(site) {
    await using at = await Real.open(site);
    const upload = async (content_base64: string) =>
      (await at.kit.write<Args & { id: number }>("rest", "upload_media", {
        ...open,
        filename: "dot.png",
        content_base64,
      })).done;
    const [one, two] = [freshPng(), freshPng()];
    const first = await upload(one);
    assert.notEqual((await upload(two)).id, first.id);
    await at.ask.rest("admin", "DELETE", `/media/${first.id}?force=true`);
    const anew = await upload(one);
    assert.equal(anew["already_there"], undefined);
    assert.notEqual(anew.id, first.id);
  },
});
