internal import Glibc
public import HoistBase

/// A look at a value that a `JSONReader` has read: one pointer, no reference count.
///
/// Borrowed: valid until the reader reads its next value; the bytes of its texts until the reader goes.
public struct JSONNode: @unchecked Sendable {
  let entry: UnsafePointer<JSONTape.Entry>

  init(_ entry: UnsafePointer<JSONTape.Entry>) { self.entry = entry }

  public var kind: JSONKind { entry.pointee.kind }
  public var isNull: Bool { kind == .null }

  /// Nil for JSON's null, for services to which null and absent are one.
  public var unlessNull: JSONNode? { isNull ? nil : self }

  public var bool: Bool? { kind == .bool ? entry.pointee.bits != 0 : nil }

  /// An integer as written; `1.0` and integers beyond 64 bits are no integers but doubles.
  public var int64: Int64? { kind == .int ? Int64(bitPattern: entry.pointee.bits) : nil }

  /// Any number. Integers beyond 2^53 are rounded.
  public var double: Double? {
    switch kind {
    case .int: Double(Int64(bitPattern: entry.pointee.bits))
    case .double: Double(bitPattern: entry.pointee.bits)
    default: nil
    }
  }

  /// A string's bytes. Valid UTF-8; there may be NUL bytes among them.
  public var utf8: UnsafeBufferPointer<UInt8>? {
    kind == .string ? UnsafeBufferPointer(start: entry.pointee.text, count: Int(entry.pointee.textCount)) : nil
  }

  /// The same as plain bytes.
  public var bytes: ByteView? { utf8.map { ByteView($0) } }

  /// The text that an object or an array was read from.
  public var source: UnsafeRawBufferPointer? {
    kind == .object || kind == .array
      ? UnsafeRawBufferPointer(start: entry.pointee.text, count: Int(entry.pointee.textCount)) : nil
  }

  public var array: JSONNodes? { kind == .array ? JSONNodes(entry) : nil }

  /// Members one after the other; of members of the same name all.
  public var object: JSONNodes? { kind == .object ? JSONNodes(entry) : nil }

  /// As `object`, and empty for another kind.
  public var members: JSONNodes { JSONNodes(entry, isEmpty: kind != .object) }

  /// The name of a member; no bytes elsewhere.
  public var name: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: entry.pointee.name, count: Int(entry.pointee.nameCount))
  }

  /// A member, if this is an object that has it; of members of the same name the last.
  public subscript(key: StaticString) -> JSONNode? {
    guard kind == .object, key.hasPointerRepresentation, key.utf8CodeUnitCount > 0 else { return nil }
    let (count, first) = (key.utf8CodeUnitCount, key.utf8Start[0])
    var found: JSONNode?
    var at = entry + 1
    let end = entry + Int(entry.pointee.extent)
    while at < end {
      // Most names differ in their lengths, or in what they begin with.
      if Int(at.pointee.nameCount) == count, let name = at.pointee.name, name[0] == first, memcmp(name, key.utf8Start, count) == 0
      {
        found = JSONNode(at)
      }
      at += Int(at.pointee.extent)
    }
    return found
  }
}

/// The direct members or elements of a container, borrowed as `JSONNode` is.
public struct JSONNodes: Sequence, @unchecked Sendable {
  private let container: UnsafePointer<JSONTape.Entry>
  private let end: UnsafePointer<JSONTape.Entry>
  public let count: Int

  init(_ container: UnsafePointer<JSONTape.Entry>, isEmpty: Bool = false) {
    self.container = container
    end = container + (isEmpty ? 1 : Int(container.pointee.extent))
    count = isEmpty ? 0 : Int(container.pointee.bits)
  }

  public var isEmpty: Bool { count == 0 }
  public var first: JSONNode? { isEmpty ? nil : JSONNode(container + 1) }
  public var underestimatedCount: Int { count }

  public func makeIterator() -> Iterator { Iterator(upcoming: container + 1, end: end) }

  public struct Iterator: IteratorProtocol {
    var upcoming: UnsafePointer<JSONTape.Entry>
    let end: UnsafePointer<JSONTape.Entry>

    @inline(__always)
    public mutating func next() -> JSONNode? {
      guard upcoming < end else { return nil }
      defer { upcoming += Int(upcoming.pointee.extent) }
      return JSONNode(upcoming)
    }
  }
}
