/** An answer to tools/list that is there whole, taken apart. */
import { ListReader, type ListText } from "../../../platforms/tool_servers/list_text.ts";

export function listText(text: string): ListText {
  const reader = new ListReader();
  reader.add(text);
  return reader.end();
}
