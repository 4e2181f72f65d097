internal import HoistBase
internal import HoistJSON

/// Values for the rows of a property table, each checked when it is set.
public struct PropertyValues: Sendable {
  public enum Value: Sendable, Equatable {
    case text(String)
    case boolean(Bool)
    case integer(Int64)
    case textMap([String: String])
    case textList([String])
  }

  public let table: [Property]
  private var given: [String: (text: String, value: Value)] = [:]
  /// What a client's log says of files that others may change and values came from.
  public var doubts: [String] = []

  public init(table: [Property]) { self.table = table }

  public func property(_ name: String) -> Property? { table.first { $0.name == name } }

  /// Reads and keeps a value. Nothing changes when it is refused.
  public mutating func set(_ name: String, _ text: String) throws(ConfigurationFailure) {
    guard let property = property(name) else { throw unknown(name) }
    given[name] = (text, try Self.read(text, as: property))
  }

  /// Gives a property its default again.
  public mutating func unset(_ name: String) throws(ConfigurationFailure) {
    guard property(name) != nil else { throw unknown(name) }
    given[name] = nil
  }

  private func unknown(_ name: String) -> ConfigurationFailure {
    ConfigurationFailure(name, "unknown property \(Self.quoted(name))\(suggestion(for: name))")
  }

  /// Makes the named properties what they are in `other`, unset where they are unset there.
  public mutating func take(_ names: [String], from other: PropertyValues) {
    for name in names where property(name) != nil { given[name] = other.given[name] }
  }

  /// Every required property that has no value, by name.
  public var missing: [String] {
    table.filter { $0.isRequired && (given[$0.name]?.text ?? $0.defaultValue ?? "").isEmpty }.map(\.name)
  }

  public func isSet(_ name: String) -> Bool { given[name] != nil }

  /// The value as text, defaults included; "***" stands for secrets that are set, and for those in addresses and headers.
  public func shown(_ name: String) -> String? {
    guard let text = revealed(name), isSet(name), !text.isEmpty else { return revealed(name) }
    switch property(name)?.kind {
    case .secret: return "***"
    case .address: return URLText.withoutUser(text)
    case .headers, .options: return JSONTexts.text(textMap(name).mapValues { _ in "***" })
    default: return text
    }
  }

  /// The same with secrets in full: not for people.
  public func revealed(_ name: String) -> String? {
    property(name).map { given[name]?.text ?? $0.defaultValue ?? "" }
  }

  public func text(_ name: String) -> String {
    if case .text(let text)? = value(name) { return text }
    return ""
  }

  public func boolean(_ name: String) -> Bool {
    if case .boolean(let flag)? = value(name) { return flag }
    return false
  }

  public func integer(_ name: String) -> Int64 {
    if case .integer(let number)? = value(name) { return number }
    return 0
  }

  public func textMap(_ name: String) -> [String: String] {
    if case .textMap(let map)? = value(name) { return map }
    return [:]
  }

  public func textList(_ name: String) -> [String] {
    if case .textList(let list)? = value(name) { return list }
    return []
  }

  private func value(_ name: String) -> Value? {
    if let value = given[name]?.value { return value }
    guard let property = property(name), let text = property.defaultValue else { return nil }
    return try? Self.read(text, as: property)
  }

  private static func read(_ text: String, as property: Property) throws(ConfigurationFailure) -> Value {
    func refuse(_ expected: String) -> ConfigurationFailure {
      // A map may hold a token: what is no JSON is not repeated.
      let found = property.kind.isPlain ? "is \(quoted(text))" : "cannot be read"
      return ConfigurationFailure(property.name, "property \"\(property.name)\" \(found), but must be \(expected)")
    }
    switch property.kind {
    case .text, .secret, .address:
      return .text(text)
    case .boolean:
      switch text {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      default: throw refuse("true or false")
      }
    case .integer(let range):
      guard let number = Int64(text), range.contains(number) else {
        throw refuse("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return .integer(number)
    case .choice(let choices):
      guard choices.contains(text) else { throw refuse("one of \(choices.joined(separator: ", "))") }
      return .text(text)
    case .textMap, .headers:
      guard let map = JSONTexts.map(text) else { throw refuse("a JSON object whose members are texts") }
      return .textMap(map)
    case .options:
      guard let map = JSONTexts.options(text) else { throw refuse("a JSON object whose members are objects or texts") }
      return .textMap(map)
    case .textList:
      guard let list = JSONTexts.list(text) else { throw refuse("a JSON array of texts") }
      return .textList(list)
    case .json:
      guard JSONTexts.isJSON(text) else { throw refuse("JSON") }
      return .text(text)
    }
  }

  /// Foreign text in a message of one line.
  private static func quoted(_ text: String) -> String {
    let line = text.unicodeScalars.prefix(80).map { $0.value < 0x20 ? " " : String($0) }.joined()
    return "\"\(line)\""
  }

  /// The known name that is nearest to an unknown one.
  private func suggestion(for name: String) -> String {
    func flat(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    let wanted = flat(name)
    let near = table.first { row in
      let last = row.name.split(separator: ".").last.map { flat(String($0)) } ?? ""
      return flat(row.name) == wanted || last == wanted || flat(row.name).hasPrefix(wanted) && !wanted.isEmpty
    }
    return near.map { "; did you mean \"\($0.name)\"?" } ?? ""
  }
}
