internal import HoistBase

/// Why a flag's rules cannot be compiled; the whole flag is off then (protocols/unleash.md C.2).
struct RuleFailure: Error {
  var message: String

  init(_ message: String) { self.message = message }

  func within(_ place: String) -> RuleFailure { RuleFailure("\(place): \(message)") }

  /// Artefacts of how the vendor's engine quotes rules, reproduced because its users see them.
  static func checkQuoting(
    _ text: ByteView, _ what: StaticString, refusesQuotes: Bool
  ) throws(RuleFailure) {
    if refusesQuotes, text.contains(0x22) { throw RuleFailure("\(what) has a quotation mark") }
    if text.last == 0x5C { throw RuleFailure("\(what) ends in a backslash") }
  }
}

/// A flag that is off because its rules cannot be compiled.
public struct UnleashWarning: Sendable, Equatable {
  public let flag: String
  /// One line, without the flag's name.
  public let message: String
}
