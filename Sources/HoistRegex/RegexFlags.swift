/// The flags in force at one place of a pattern. Greediness (`U`) has no meaning for a yes or no.
struct RegexFlags {
  /// `i`
  var ignoresCase = false
  /// `m`
  var isMultiLine = false
  /// `s`
  var dotMatchesNewline = false
  /// `u`
  var isUnicode = true
  /// `R`
  var hasCRLFLines = false
  /// `x`
  var ignoresSpace = false

  /// - Returns: false for a letter that is no flag.
  mutating func set(_ letter: Unicode.Scalar, to value: Bool) -> Bool {
    switch letter {
    case "i": ignoresCase = value
    case "m": isMultiLine = value
    case "s": dotMatchesNewline = value
    case "u": isUnicode = value
    case "R": hasCRLFLines = value
    case "x": ignoresSpace = value
    case "U": break
    default: return false
    }
    return true
  }
}
