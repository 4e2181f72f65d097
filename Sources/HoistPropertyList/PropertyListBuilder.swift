internal import CExpat
internal import HoistBase
internal import HoistJSON

/// Hears the elements of a property list, and builds its entries.
final class PropertyListBuilder {
  private static let greatestDepth = 16

  /// What an element holds; containers as the JSON they have become.
  private enum Value {
    case text(String)
    case number(String)
    case boolean(Bool)
    case container(String)

    /// As a property is set.
    var plain: String {
      switch self {
      case .text(let text), .number(let text), .container(let text): text
      case .boolean(let flag): flag ? "true" : "false"
      }
    }

    var json: String {
      guard case .text(let text) = self else { return plain }
      var writer = JSONWriter()
      writer.string(text)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  /// A dictionary or an array that is open.
  private struct Container {
    var isDictionary: Bool
    var line: Int
    var key: String?
    var members: [(key: String, value: Value, line: Int)] = []
  }

  private let parser: XML_Parser
  private var open: [Container] = []
  /// Whether `plist` has begun.
  private var isInside = false
  private var text: [UInt8] = []
  private var beginning = 0
  private(set) var problem: PropertyList.Failure?
  private(set) var entries: [PropertyList.Entry]?

  init(_ parser: XML_Parser) { self.parser = parser }

  /// It must live as long as the parser parses.
  func listen() {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(parser) { context, name, _ in
      PropertyListBuilder.of(context)?.begin(PropertyListBuilder.name(name))
    } _: { context, name in
      PropertyListBuilder.of(context)?.end(PropertyListBuilder.name(name))
    }
    XML_SetCharacterDataHandler(parser) { context, bytes, count in
      PropertyListBuilder.of(context)?.append(bytes, count)
    }
    XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      PropertyListBuilder.of(context)?.refuse("a property list declares no entities")
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> PropertyListBuilder? {
    context.map { Unmanaged<PropertyListBuilder>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func name(_ name: UnsafePointer<CChar>?) -> String { name.map { String(cString: $0) } ?? "" }

  private var line: Int { Int(clamping: XML_GetCurrentLineNumber(parser)) }

  private func refuse(_ message: String, at place: Int? = nil) {
    guard problem == nil else { return }
    let key = open.compactMap(\.key).first.map { ", key \"\($0.prefix(80))\"" } ?? ""
    problem = PropertyList.Failure(message: "line \(place ?? line)\(key): \(message)")
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  private func append(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
    text += UnsafeRawBufferPointer(start: bytes, count: max(0, Int(count)))
  }

  private func begin(_ name: String) {
    text = []
    beginning = line
    switch name {
    case "plist":
      if isInside { refuse("a property list inside of one") }
      isInside = true
    case "dict", "array":
      guard checkPlace() else { return }
      guard open.count < Self.greatestDepth else { return refuse("nested too deeply") }
      open.append(Container(isDictionary: name == "dict", line: line))
    case "key":
      guard let last = open.last, last.isDictionary, last.key == nil else { return refuse("a key where none belongs") }
    case "string", "integer", "real", "true", "false", "date", "data": _ = checkPlace()
    default: refuse("element <\(name.prefix(40))> is none of a property list")
    }
  }

  /// Whether a value may stand here.
  private func checkPlace() -> Bool {
    if !isInside { refuse("the root is no <plist>") }
    if entries != nil { refuse("a second value at the root") }
    if let last = open.last, last.isDictionary, last.key == nil { refuse("a value without a key") }
    return problem == nil
  }

  private func end(_ name: String) {
    guard problem == nil else { return }
    let content = UTF8Text.repaired(text[...])
    text = []
    switch name {
    case "key": changeLast { $0.key = content }
    case "dict", "array": close()
    case "string", "date", "data": take(.text(content), beginning)
    case "integer", "real": number(content)
    case "true", "false": take(.boolean(name == "true"), beginning)
    default: break
    }
  }

  private func number(_ content: String) {
    let words = content.split(whereSeparator: \.isWhitespace)
    guard words.count == 1, let value = Double(words[0]), value.isFinite else {
      return refuse("\"\(content.prefix(40))\" is no number", at: beginning)
    }
    if let whole = Int64(words[0]) { return take(.number("\(whole)"), beginning) }
    take(.number(Int64(exactly: value).map { "\($0)" } ?? "\(value)"), beginning)
  }

  private func close() {
    guard let ended = open.popLast() else { return }
    if ended.isDictionary, let key = ended.key { return refuse("key \"\(key.prefix(80))\" without a value") }
    guard open.isEmpty else { return take(.container(Self.json(ended)), ended.line) }
    guard ended.isDictionary else { return refuse("the root is no dictionary", at: ended.line) }
    entries = ended.members.map { PropertyList.Entry(key: $0.key, text: $0.value.plain, line: $0.line) }
  }

  private func take(_ value: Value, _ line: Int) {
    guard let last = open.last else { return refuse("the root is no dictionary", at: line) }
    changeLast { container in
      container.members.append((last.key ?? "", value, line))
      container.key = nil
    }
  }

  private func changeLast(_ change: (inout Container) -> Void) {
    guard !open.isEmpty else { return }
    change(&open[open.count - 1])
  }

  private static func json(_ container: Container) -> String {
    if !container.isDictionary { return "[\(container.members.map(\.value.json).joined(separator: ","))]" }
    let members = container.members.map { "\(Value.text($0.key).json):\($0.value.json)" }
    return "{\(members.joined(separator: ","))}"
  }
}
