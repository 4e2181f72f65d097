internal import HoistBase

/// What a context can be a context of.
enum ContextKind {
  static let user = "user"
  /// What stands for several contexts in one.
  static let multi = "multi"

  /// The rules for a single context's kind (3.2).
  static func check(_ kind: String) throws(ContextFailure) {
    if kind.reads("multi") {
      throw ContextFailure(.multiBuilderRequired, "a context of kind \"multi\" is made of several contexts by a multi-context builder")
    }
    guard !kind.isEmpty else { throw ContextFailure(.kindInvalid, "the context's kind is empty") }
    guard !kind.reads("kind") else { throw ContextFailure(.kindInvalid, "a context's kind cannot be \"kind\"") }
    guard kind.utf8.allSatisfy(isAllowed) else {
      throw ContextFailure(
        .kindInvalid,
        "the context's kind \"\(kind.prefix(80))\" has other characters than letters, digits, \".\", \"_\" and \"-\"")
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: ASCII.isAlphanumeric(byte)
    }
  }
}
