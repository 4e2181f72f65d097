import HoistJSON

/// Kameleoon's kinds of files.
let kameleoon = Vendor(
  kinds: ["steps": runKameleoonSteps, "hash": runKameleoonHashes, "urls": runKameleoonURLs],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    if first["expectedHex"] != nil { return "hash" }
    if first["steps"] != nil { return "steps" }
    return first["kind"] != nil && first["input"] != nil ? "urls" : nil
  })
