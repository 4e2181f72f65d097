internal import HoistBase
internal import HoistJSON

/// A document read part by part: one flag's tree is there at a time, so that a large configuration needs
/// little memory beside its text, and no large tree has to be taken down.
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
  ///   - what: how messages call the object.
  func members(
    _ object: ByteView, _ names: [StaticString], of what: String
  ) throws(UnleashDocumentFailure) -> [ByteView?] {
    var found = [ByteView?](repeating: nil, count: names.count)
    try forEach(object, isObject: true, "\(what) must be an object") { name, value throws(UnleashDocumentFailure) in
      guard let name else { return }
      let index = try parse(name) { name in
        names.firstIndex { wanted in name.utf8.map { ByteView($0).reads(wanted) } ?? false }
      }
      if let index { found[index] = value } else { try parse(value) { _ in } }
    }
    return found
  }

  /// Every element of an array.
  /// - Parameter what: how messages call the array.
  func elements(
    _ array: ByteView, of what: String, limit: Int,
    _ body: (_ index: Int, _ element: ByteView) throws(UnleashDocumentFailure) -> Void
  ) throws(UnleashDocumentFailure) {
    var index = 0
    try forEach(array, isObject: false, "\(what) must be an array") { _, value throws(UnleashDocumentFailure) in
      guard index < limit else {
        throw UnleashDocumentFailure("\(what) must be an array of at most \(limit) elements")
      }
      try body(index, value)
      index += 1
    }
  }

  func isNull(_ part: ByteView) -> Bool { part.reads("null") }

  /// Lends the tree of a part.
  func parse<Result>(
    _ part: ByteView, _ body: (JSONValue) throws(UnleashDocumentFailure) -> Result
  ) throws(UnleashDocumentFailure) -> Result {
    let document: JSONDocument
    do throws(JSONFailure) {
      document = try JSONDocument(parsing: part, limits: limits.json)
    } catch {
      throw failure(error, in: part)
    }
    return try document.withRoot(body)
  }

  private func forEach(
    _ part: ByteView, isObject: Bool, _ expectation: String,
    _ body: (_ name: ByteView?, _ value: ByteView) throws(UnleashDocumentFailure) -> Void
  ) throws(UnleashDocumentFailure) {
    if let first = part.first, part.baseAddress != text.baseAddress, first != (isObject ? 0x7B : 0x5B) {
      try parse(part) { _ in }  // a part of another kind, if it is JSON at all
      throw UnleashDocumentFailure(expectation)
    }
    var slices = try cut(part)
    guard slices.isObject == isObject else { throw UnleashDocumentFailure(expectation) }
    while let slice = try next(&slices, part) { try body(slice.name, slice.value) }
  }

  private func cut(_ container: ByteView) throws(UnleashDocumentFailure) -> JSONSlices {
    do throws(JSONFailure) { return try JSONSlices(container) } catch { throw failure(error, in: container) }
  }

  private func next(
    _ slices: inout JSONSlices, _ container: ByteView
  ) throws(UnleashDocumentFailure) -> (name: ByteView?, value: ByteView)? {
    do throws(JSONFailure) { return try slices.next() } catch { throw failure(error, in: container) }
  }

  private func failure(_ failure: JSONFailure, in part: ByteView) -> UnleashDocumentFailure {
    UnleashDocumentFailure("not a JSON document: \(failure.moved(from: part, to: text))")
  }
}
