public import HoistBase
public import HoistJSON

/// Reading, without recursion.
extension LDValue {
  /// What contexts and values from outside may take.
  static let jsonLimits = JSONLimits(
    maximumBytes: 16 << 20, maximumStringBytes: 4 << 20, maximumValues: 500_000, maximumDepth: maximumDepth)

  /// - Parameter text: borrowed for the call.
  public init(json text: ByteView) throws(JSONFailure) {
    self = try JSONDocument(parsing: text, limits: Self.jsonLimits).withRoot { LDValue($0) }
  }

  /// A copy of a parsed value, as deep as its document.
  public init(_ value: JSONValue) {
    var open: [Container] = []
    var upcoming: JSONValue? = value
    var finished = LDValue.null
    while let here = upcoming {
      if let container = Container(here) {
        open.append(container)
      } else {
        finished = LDValue(scalar: here)
        if open.isEmpty { break }
        open[open.count - 1].add(finished)
      }
      upcoming = nil
      while upcoming == nil, var last = open.popLast() {
        upcoming = last.next()
        if upcoming != nil {
          open.append(last)
        } else {
          finished = last.value
          if !open.isEmpty { open[open.count - 1].add(finished) }
        }
      }
    }
    self = finished
  }

  private init(scalar value: JSONValue) {
    if let text = value.string {
      self = .string(text)
    } else if let number = value.double {
      self = .number(number)
    } else {
      self = value.bool.map { .bool($0) } ?? .null
    }
  }

  /// A container whose values are being read.
  private struct Container {
    private var elements: JSONArray.Iterator?
    private var members: JSONObject.Iterator?
    private var name = ""
    /// Those of an array have no names.
    private var values: [LDObject.Member] = []

    init?(_ value: JSONValue) {
      elements = value.array?.makeIterator()
      members = value.object?.makeIterator()
      if elements == nil, members == nil { return nil }
    }

    mutating func next() -> JSONValue? {
      guard let member = members?.next() else { return elements?.next() }
      name = member.key.string
      return member.value
    }

    mutating func add(_ value: LDValue) { values.append(LDObject.Member(name: name, value: value)) }

    var value: LDValue { members == nil ? .array(values.map(\.value)) : .object(LDObject(values)) }
  }
}

/// Writing, without recursion.
extension LDValue {
  /// Compact text, members in the order of their names.
  public var json: [UInt8] {
    var writer = JSONWriter()
    var hidden: [String] = []
    write(to: &writer, hiding: ReferenceIndex.Part(), into: &hidden)
    return writer.bytes
  }

  /// - Parameters:
  ///   - hiding: what of its members is left out.
  ///   - hidden: takes the references of those that were.
  func write(to writer: inout JSONWriter, hiding: ReferenceIndex.Part, into hidden: inout [String]) {
    var open: [OpenContainer] = []
    begin(&writer, hiding, &open)
    while let last = open.indices.last {
      switch open[last].next() {
      case .element(let value):
        value.begin(&writer, ReferenceIndex.Part(), &open)
      case .member(let member):
        let (part, reference) = open[last].hiding.narrowed(to: member.name)
        if let reference {
          hidden.append(reference.raw)
        } else {
          writer.key(member.name)
          member.value.begin(&writer, part, &open)
        }
      case .endOfArray:
        writer.endArray()
        open.removeLast()
      case .endOfObject:
        writer.endObject()
        open.removeLast()
      }
    }
  }

  /// Writes a scalar, or opens a container.
  private func begin(_ writer: inout JSONWriter, _ hiding: ReferenceIndex.Part, _ open: inout [OpenContainer]) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .array(let values):
      writer.beginArray()
      open.append(OpenContainer(content: .array(values[...]), hiding: hiding))
    case .object(let object):
      writer.beginObject()
      open.append(OpenContainer(content: .object(object[...]), hiding: hiding))
    }
  }

  /// A container that is being written, and what of it is still to come.
  private struct OpenContainer {
    enum Content {
      case array(ArraySlice<LDValue>)
      case object(Slice<LDObject>)
    }
    enum Step {
      case element(LDValue)
      case member(LDObject.Member)
      case endOfArray, endOfObject
    }

    var content: Content
    let hiding: ReferenceIndex.Part

    mutating func next() -> Step {
      switch content {
      case .array(var rest):
        guard let value = rest.popFirst() else { return .endOfArray }
        content = .array(rest)
        return .element(value)
      case .object(var rest):
        guard let member = rest.popFirst() else { return .endOfObject }
        content = .object(rest)
        return .member(member)
      }
    }
  }
}
