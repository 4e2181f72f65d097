internal import HoistBase
public import HoistCore

/// A value that C holds, and changes. Thread-safe.
public final class OwnedValue: @unchecked Sendable {
  /// Largest value, in bytes of JSON.
  public static let maximumBytes = LDValue.jsonLimits.maximumBytes

  private let lock = InlineLock()
  private var content: LDValue
  private var size: LDValueSize
  /// Texts borrowed by C: names of members by index, and the string under -1.
  private var borrowed: [Int: CText] = [:]

  /// - Returns: nil for a value over the limits.
  public init?(_ value: LDValue) {
    guard let size = LDValueSize(value, maximumBytes: Self.maximumBytes, maximumDepth: LDValue.maximumDepth) else {
      return nil
    }
    (content, self.size) = (value, size)
  }

  /// A scalar without text, or an empty container.
  public init(small value: LDValue) { (content, size) = (value, LDValueSize(ofSmall: value)) }

  public var value: LDValue { lock.withLock { content } }

  /// The string; stays while the value does.
  public var string: CText? {
    lock.withLock { content.string.map { text in keep(-1, text) } }
  }

  /// The name of a member; stays until the object is changed.
  public func name(at index: Int) -> CText? {
    lock.withLock { content.object?.member(at: index).map { member in keep(index, member.name) } }
  }

  private func keep(_ place: Int, _ text: String) -> CText {
    if let known = borrowed[place] { return known }
    let made = CText(text)
    borrowed[place] = made
    return made
  }

  public func append(_ element: OwnedValue) -> Status {
    let (value, added) = element.lock.withLock { (element.content, element.size) }
    return lock.withLock {
      guard case .array(var elements) = content else { return .argument }
      guard grow(by: added.bytes, depth: added.depth) else { return .limit }
      content = .null  // so that the array is not shared while it grows
      elements.append(value)
      content = .array(elements)
      return .ok
    }
  }

  public func set(_ name: String, _ member: OwnedValue) -> Status {
    let (value, added) = member.lock.withLock { (member.content, member.size) }
    return lock.withLock {
      guard case .object(var object) = content else { return .argument }
      let former = object[name].map { LDValueSize.bytes(of: $0) + name.utf8.count } ?? 0
      guard grow(by: added.bytes + name.utf8.count - former, depth: added.depth) else { return .limit }
      content = .null
      object.set(name, value)
      content = .object(object)
      borrowed = [:]
      return .ok
    }
  }

  /// Removes a member.
  public func remove(_ name: String) -> Status {
    lock.withLock {
      guard case .object(var object) = content else { return .argument }
      guard let former = object[name] else { return .notFound }
      content = .null
      object.set(name, nil)
      content = .object(object)
      size.bytes -= LDValueSize.bytes(of: former) + name.utf8.count
      borrowed = [:]
      return .ok
    }
  }

  /// Accounts for what comes into the container; false when it would be too much.
  private func grow(by bytes: Int, depth: Int) -> Bool {
    guard size.bytes + bytes <= Self.maximumBytes, depth < LDValue.maximumDepth else { return false }
    size.bytes += bytes
    size.depth = max(size.depth, depth + 1)
    return true
  }
}
