/// How a flag was evaluated, as the library's JSON says it.
struct FlagDetail {
  let key: String
  let enabled: Bool
  let variation: String
  /// null when the flag holds no value.
  let value: JSON
  let reason: String
  let errorCode: String
  let errorMessage: String
  /// The steps; null unless explained.
  let explanation: JSON
  /// All of it.
  let json: JSON
  /// False where the service tells of other flags alone: this one is off there, or does not exist.
  var isListed = true

  init(_ object: JSON) {
    key = object["key"]?.string ?? ""
    enabled = object["enabled"]?.bool ?? false
    variation = object["variation"]?.string ?? ""
    value = object["value"] ?? .null
    reason = object["reason"]?.string ?? ""
    errorCode = object["errorCode"]?.string ?? ""
    errorMessage = object["errorMessage"]?.string ?? ""
    explanation = object["explanation"] ?? .null
    json = object
  }

  /// A text without its quotes, any other value as JSON; empty for none.
  var shownValue: String { value.isNull ? "" : value.string ?? value.text }

  private static let header = ["FLAG", "STATE", "VARIATION", "REASON", "VALUE"]

  var cells: [Table.Cell] {
    let why = errorCode.isEmpty ? reason : "\(reason) \(errorCode)"
    return [
      .init(key), .init(enabled ? "on" : "off", enabled ? .green : .faint), .init(variation.isEmpty ? "-" : variation),
      .init(why, errorCode.isEmpty ? nil : .yellow), .init(shownValue.isEmpty ? "-" : shownValue),
    ]
  }

  static func show(_ flags: [FlagDetail]) {
    var table = Table(header)
    for flag in flags { table.add(flag.cells) }
    table.show()
  }

  /// Why the flag is not known to exist, or could not be evaluated; nil when it was.
  var lack: String? {
    if errorCode.isEmpty { return isListed ? nil : "the service does not list it: it is off, or does not exist" }
    return errorMessage.isEmpty ? errorCode : errorMessage
  }

  /// Says on standard error what it lacks, if so, and ends with that status: a flag that is not listed is off.
  func end(unknown kind: Problem.Kind = .negative) throws {
    if let lack { throw Problem(isListed ? kind : .negative, "\(key): \(lack)") }
  }

  /// The members of an object of details, by the bytes of their keys.
  static func parseAll(_ json: String) -> [FlagDetail] {
    let details = JSON(parsing: json)?.members?.map { FlagDetail($0.value) } ?? []
    return details.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
