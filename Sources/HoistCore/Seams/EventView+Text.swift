internal import HoistBase
internal import HoistJSON

/// The properties as a JSON object, where the service takes one. Written on the stack, unless it is long.
extension EventView {
  /// - Parameters:
  ///   - room: bytes of the caller's own before the text.
  ///   - includesValue: whether the value comes first, under that name; then no property of the name follows.
  ///   - body: gets both in one piece, to be filled and read.
  @inlinable @inline(__always)
  public func withPropertiesText<Result>(
    after room: Int = 0, includingValue includesValue: Bool = false,
    _ body: (_ text: UnsafeMutableRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: room + maximumTextBytes, alignment: 8) { memory in
      guard let start = memory.baseAddress else { return body(memory) }
      let count = writeText(to: (start + room).assumingMemoryBound(to: UInt8.self), includesValue ? value : nil)
      return body(UnsafeMutableRawBufferPointer(start: start, count: room + count))
    }
  }

  @usableFromInline var maximumTextBytes: Int {
    properties.reduce(16 + JSONRawText.maximumNumberBytes) { sum, property in
      sum + 2 + JSONRawText.maximumStringBytes(property.name.count) + property.value.maximumTextBytes
    }
  }

  @usableFromInline
  func writeText(to target: UnsafeMutablePointer<UInt8>, _ value: Double?) -> Int {
    let valueName: StaticString = "value"
    var end = 0
    if let value {
      end = Self.begin(ByteView(start: valueName.utf8Start, count: valueName.utf8CodeUnitCount), target, end)
      end &+= JSONRawText.writeNumber(value, to: target + end)
    }
    for property in properties where value == nil || !property.name.reads(valueName) {
      end = Self.begin(property.name, target, end)
      end &+= property.value.writeText(to: target + end)
    }
    if end == 0 {
      target[0] = UInt8(ascii: "{")
      end = 1
    }
    target[end] = UInt8(ascii: "}")
    return end &+ 1
  }

  /// Writes what precedes a member's value.
  /// - Returns: where the value begins.
  @inline(__always)
  private static func begin(_ name: ByteView, _ target: UnsafeMutablePointer<UInt8>, _ end: Int) -> Int {
    target[end] = end == 0 ? UInt8(ascii: "{") : UInt8(ascii: ",")
    let colon = end &+ 1 &+ JSONRawText.writeString(name, to: target + (end &+ 1))
    target[colon] = UInt8(ascii: ":")
    return colon &+ 1
  }
}

extension EventView.Value {
  fileprivate var maximumTextBytes: Int {
    switch self {
    case .text(let text): JSONRawText.maximumStringBytes(text.count)
    case .number, .boolean: JSONRawText.maximumNumberBytes
    case .json(let text): text.count
    }
  }

  @inline(__always)
  fileprivate func writeText(to target: UnsafeMutablePointer<UInt8>) -> Int {
    switch self {
    case .text(let text): return JSONRawText.writeString(text, to: target)
    case .number(let number): return JSONRawText.writeNumber(number, to: target)
    case .boolean(let truth): return JSONRawText.writeBoolean(truth, to: target)
    case .json(let text):
      if let start = text.baseAddress { UnsafeMutableRawPointer(target).copyMemory(from: start, byteCount: text.count) }
      return text.count
    }
  }
}
