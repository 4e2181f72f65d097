public import HoistBase
internal import HoistJSON

/// A decision's variables as the vendor offers them: text, map, and values by path (`OPT-71`).
public struct OptimizelyJSON {
  private let document: JSONDocument

  /// - Returns: nil for a text that is no JSON object.
  public init?(_ text: some ByteSource) {
    let document = text.withBytes { try? JSONDocument(parsing: $0) }
    guard let document, document.withRoot({ $0.object != nil }) else { return nil }
    self.document = document
  }

  /// Compact JSON text of the value at a path of member names with dots between; the empty path is the whole.
  ///
  /// A path through something that is no object leads nowhere.
  public func value(atPath path: some ByteSource) -> [UInt8]? {
    document.withRoot { root in
      path.withBytes { path in
        var value = root
        var start = 0
        for index in 0...path.count where !path.isEmpty && (index == path.count || path[index] == 0x2E) {
          let name = path.view(from: start, to: index)
          guard let next = value.object?.member(name.bindMemory(to: UInt8.self)) else { return nil }
          value = next
          start = index + 1
        }
        return try? value.text(wholeDoubles: .withFraction)
      }
    }
  }
}

extension OptimizelyJSON {
  /// One variable by its key, not by a path; texts live as long as this.
  public func variable(_ key: ByteView) -> OptimizelyValue? {
    document.withRoot { root in
      guard let value = root.object?.member(key.bindMemory(to: UInt8.self)) else { return nil }
      if let truth = value.bool { return .boolean(truth) }
      if let whole = value.int64 { return .integer(whole) }
      if let number = value.double { return .double(number) }
      if let text = value.utf8 { return .string(ByteView(text)) }
      // Objects are read by path.
      return value.object == nil ? nil : .json(ByteView(start: nil, count: 0))
    }
  }
}
