import HoistJSON

/// Kameleoon's kinds of files.
let kameleoon = Vendor(
  kinds: ["steps": runKameleoonSteps],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    return first["steps"] != nil ? "steps" : nil
  })
