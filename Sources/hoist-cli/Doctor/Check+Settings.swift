/// What was copied from a page and never filled in, and ids that the service does not give out.
extension Check {
  static func settings(_ configuration: Configuration) -> [Check] {
    addresses(configuration) + ids(configuration)
  }

  private static func addresses(_ configuration: Configuration) -> [Check] {
    let marks = ["<", ">", "{", "}", "example.", "your-", "your_", "your.", "…", "..."]
    return configuration.table.compactMap { row in
      guard row.name == "url" || row.name.hasSuffix(".url") || row.name.hasSuffix("_url"),
        let value = configuration.value(of: row.name), value != row.defaultValue,
        let mark = marks.first(where: { contains(value.lowercased(), $0) })
      else { return nil }
      return Check("address", .failed, "\(row.name) still holds a placeholder (\(mark)): put your service's address there")
    }
  }

  private static func ids(_ configuration: Configuration) -> [Check] {
    guard let id = configuration.traits.id, let value = configuration.value(of: id.property), !value.isEmpty, !id.fits(value)
    else { return [] }
    return [Check(id.property, .warning, "\(id.property) \"\(value)\" is not of the service's form, \(id.form)")]
  }

  private static func contains(_ text: String, _ part: String) -> Bool {
    text.indices.contains { text[$0...].hasPrefix(part) }
  }
}

/// An id that a service gives out.
struct ServiceID: Sendable {
  let property: String
  /// For people: "20 of 0-9 and a-v".
  let form: String
  let length: Int
  let letters: ClosedRange<Character>

  func fits(_ value: String) -> Bool {
    value.count == length && value.allSatisfy { ("0"..."9").contains($0) || letters.contains($0) }
  }
}

/// What a key is, as far as its text shows.
struct KeyKind {
  let text: String
  /// Whether the service refuses keys of this kind here.
  let isWrong: Bool

  init(_ text: String, isWrong: Bool = false) {
    self.text = text
    self.isWrong = isWrong
  }
}
