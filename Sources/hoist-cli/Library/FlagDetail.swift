import HoistJSON

/// How a flag was evaluated, as the library's JSON says it.
struct FlagDetail {
  let key: String
  let enabled: Bool
  let variation: String
  /// JSON text; "null" when the flag holds no value.
  let value: String
  let reason: String
  let errorCode: String
  let errorMessage: String
  /// The steps, as JSON text; "null" unless explained.
  let explanation: String
  /// All of it, as JSON text.
  let json: String

  init(_ object: JSONValue) {
    func text(_ value: JSONValue?) -> String { value.flatMap { try? $0.text() }.map { String(decoding: $0, as: UTF8.self) } ?? "null" }
    key = object["key"]?.string ?? ""
    enabled = object["enabled"]?.bool ?? false
    variation = object["variation"]?.string ?? ""
    value = text(object["value"])
    reason = object["reason"]?.string ?? ""
    errorCode = object["errorCode"]?.string ?? ""
    errorMessage = object["errorMessage"]?.string ?? ""
    explanation = text(object["explanation"])
    json = text(object)
  }

  /// A text without its quotes, any other value as JSON; empty for none.
  var shownValue: String {
    if value == "null" { return "" }
    guard let document = try? JSONDocument(parsing: value) else { return value }
    return document.withRoot { $0.string } ?? value
  }

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

  /// The one line, and on standard error what is wrong with it.
  func show() {
    Self.show([self])
    if !errorMessage.isEmpty { Output.error("hoist: \(key): \(errorMessage)") }
  }

  static func parse(_ json: String) -> FlagDetail? {
    (try? JSONDocument(parsing: json)).map { $0.withRoot { FlagDetail($0) } }
  }

  /// The members of an object of details, by the bytes of their keys.
  static func parseAll(_ json: String) -> [FlagDetail] {
    let details = (try? JSONDocument(parsing: json))?.withRoot { root in
      root.object.map { $0.map { FlagDetail($0.value) } }
    }
    return (details ?? nil ?? []).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

/// Reading single members of JSON objects.
enum Members {
  static func text(_ name: String, in json: String) -> String? {
    (try? JSONDocument(parsing: json))?.withRoot { $0.object?.member(name)?.string }
  }
}
