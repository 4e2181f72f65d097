import HoistJSON

/// A request's query as it was sent, in order of the pairs.
func queryPairs(_ url: String) -> (base: String, pairs: [String]) {
  let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
  let pairs = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
  return (String(parts[0]), pairs.sorted())
}

/// JSON text of a map of texts.
func jsonText(_ value: JSONValue?) -> String { (try? value?.text()).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }

func textMap(_ value: JSONValue?) -> [String: String] {
  var map: [String: String] = [:]
  if let object = value?.object {
    for (key, value) in object { map[key.string] = value.string }
  }
  return map
}
