internal import HoistBase
internal import HoistJSON

/// Why a document of the service is not taken. `message` is one line that names the flag, the member and what
/// was expected there, without the document's values.
public struct UnleashDocumentFailure: Error, Sendable, Equatable, CustomStringConvertible {
  public let message: String
  public init(_ message: String) { self.message = message }
  public var description: String { message }

  init(_ failure: JSONFailure) { self.init("not a JSON document: \(failure)") }

  /// - Parameter subject: e.g. `flag "checkout"`; empty for the document itself.
  init(_ failure: JSONDecodingError, _ subject: String) {
    self.init((subject.isEmpty ? "" : subject + ": ") + failure.message)
  }
}

/// A document read part by part: one flag's values are there at a time, so that a large configuration needs
/// little memory beside its text.
struct DocumentParts {
  /// The whole text, for the places that failures name.
  let text: ByteView
  let limits: UnleashLimits

  init(_ text: ByteView, _ limits: UnleashLimits) throws(UnleashDocumentFailure) {
    self.text = text
    self.limits = limits
    guard text.count <= limits.json.maximumBytes else {
      throw UnleashDocumentFailure("the document is longer than \(limits.json.maximumBytes) bytes")
    }
  }

  /// The members of an object as the parts of the text they are; of members of one name the last.
  /// - Parameters:
  ///   - names: the members wanted; of the others only the syntax is checked.
  ///   - object: nil for the document itself.
  ///   - what: how messages call the object.
  func members(
    _ names: [StaticString], in object: ByteView? = nil, of what: String
  ) throws(UnleashDocumentFailure) -> [ByteView?] {
    var found = [ByteView?](repeating: nil, count: names.count)
    do throws(JSONFailure) {
      var json = try JSONReader(text, at: object, limits: limits.json)
      let isObject = json.enter(.object)
      if !isObject { _ = try json.value() }
      while isObject, let name = try json.nextName() {
        let index = names.firstIndex { name.reads($0) }
        // As deep as the flags of the first of a batch's events.
        let part = try json.skip(levels: 3)
        if let index { found[index] = part }
      }
      if object == nil { try json.finish() }
      if isObject { return found }
    } catch {
      throw UnleashDocumentFailure(error)
    }
    throw UnleashDocumentFailure("\(what) must be an object")
  }

  /// Every element of an array; what is read of it is borrowed for the call of `body`.
  /// - Parameter what: how messages call the array.
  func forEach(
    _ array: ByteView, of what: String, limit: Int,
    _ body: (_ index: Int, _ element: JSONNode) throws(UnleashDocumentFailure) -> Void
  ) throws(UnleashDocumentFailure) {
    var json = try reader(array)
    guard json.enter(.array) else { throw UnleashDocumentFailure("\(what) must be an array") }
    var index = 0
    while let element = try next(&json, { json throws(JSONFailure) in try json.nextElement() }) {
      guard index < limit else {
        throw UnleashDocumentFailure("\(what) must be an array of at most \(limit) elements")
      }
      try body(index, element)
      index += 1
    }
  }

  /// The parts that an array consists of.
  func elements(_ array: ByteView, of what: String) throws(UnleashDocumentFailure) -> [ByteView] {
    var json = try reader(array)
    guard json.enter(.array) else { throw UnleashDocumentFailure("\(what) must be an array") }
    var parts: [ByteView] = []
    while let part = try next(&json, { json throws(JSONFailure) in try json.nextPart(levels: 2) }) { parts.append(part) }
    return parts
  }

  /// Lends the value of a part.
  /// - Parameter subject: whose it is, for messages.
  func parse<Result>(
    _ part: ByteView, of subject: String = "", _ body: (JSONNode) throws(JSONDecodingError) -> Result
  ) throws(UnleashDocumentFailure) -> Result {
    var json = try reader(part)
    let value: JSONNode
    do throws(JSONFailure) { value = try json.value() } catch { throw UnleashDocumentFailure(error) }
    do throws(JSONDecodingError) { return try body(value) } catch { throw UnleashDocumentFailure(error, subject) }
  }

  private func reader(_ part: ByteView) throws(UnleashDocumentFailure) -> JSONReader {
    do throws(JSONFailure) {
      return try JSONReader(text, at: part, limits: limits.json)
    } catch {
      throw UnleashDocumentFailure(error)
    }
  }

  private func next<Value>(
    _ json: inout JSONReader, _ read: (inout JSONReader) throws(JSONFailure) -> Value?
  ) throws(UnleashDocumentFailure) -> Value? {
    do throws(JSONFailure) { return try read(&json) } catch { throw UnleashDocumentFailure(error) }
  }
}
