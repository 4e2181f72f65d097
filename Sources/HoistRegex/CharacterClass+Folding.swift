internal import CPCRE2
internal import HoistCore

extension CharacterClass {
  /// The class and all that folds like one of its members. Only PCRE2 knows the members of a property, so it
  /// is asked about every code point that has another case.
  func closedUnderCaseFolding() throws(RegexFailure) -> CharacterClass {
    var closed = self
    if isPlain {
      closed.ranges = CaseFolding.closure(of: ranges)
      return closed
    }
    let members = try casedMembers()
    closed.ranges = ranges.union(CaseFolding.closure(of: members).subtracting(members))
    return closed
  }

  private func casedMembers() throws(RegexFailure) -> ScalarSet {
    let code = try PCRE2Compiler.compile(text, options: PCRE2_ANCHORED)
    defer { pcre2_code_free_8(code) }
    guard let data = pcre2_match_data_create_8(1, nil) else { throw .outOfMemory }
    defer { pcre2_match_data_free_8(data) }
    var members: [ClosedRange<UInt32>] = []
    for value in CaseFolding.casedScalars {
      guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else { continue }
      let bytes = Array(encoded)
      if pcre2_match_8(code, bytes, bytes.count, 0, 0, data, nil) >= 0 { members.append(value...value) }
    }
    return ScalarSet(members)
  }
}
