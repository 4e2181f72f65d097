import HoistJSON

/// Kameleoon's kinds of files.
let kameleoon = Vendor(
  kinds: ["steps": runKameleoonSteps, "hash": runKameleoonHashes],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    if first["expectedHex"] != nil { return "hash" }
    return first["steps"] != nil ? "steps" : nil
  })
