public import HoistBase
public import HoistCore
internal import HoistJSON

/// Flags by key (FS-58, FS-81 to FS-89): the set of keys is that of the moment it was made, each flag a live view. Any
/// thread.
public final class FlagCollection: Sendable {
  public typealias Entry = (key: CText, flag: FlagshipFlag)

  private struct Content {
    var entries: [Entry] = []
    var places: [[UInt8]: Int] = [:]

    mutating func set(_ key: CText, _ flag: FlagshipFlag) {
      if let place = places[key.bytes] {
        entries[place].flag = flag
      } else {
        places[key.bytes] = entries.count
        entries.append((key, flag))
      }
    }
  }

  private let content: LockedValue<Content>

  /// All flags that the visitor has now, in the order in which campaigns gave them.
  public convenience init(of visitor: FlagshipVisitor) {
    let flags = visitor.readableFlags
    let entries = withExtendedLifetime(flags) {
      flags.keys.map { key in
        let flag = FlagshipFlag(key, of: visitor)
        return (flag.key, flag)
      }
    }
    self.init(entries)
  }

  private init(_ entries: [Entry]) {
    var content = Content()
    for entry in entries { content.set(entry.key, entry.flag) }
    self.content = LockedValue(content)
  }

  public var count: Int { content.withLock { $0.entries.count } }

  /// As they are now, in order.
  public var entries: [Entry] { content.withLock { $0.entries } }

  /// nil for an index that is not below the count.
  public func entry(at index: Int) -> Entry? {
    content.withLock { index >= 0 && index < $0.entries.count ? $0.entries[index] : nil }
  }

  /// FS-81: the flag of a key; an empty one for a key that is not here.
  public func flag(_ key: ByteView) -> FlagshipFlag {
    content.withLock { content in content.places[Array(key)].map { content.entries[$0].flag } } ?? FlagshipFlag(key, of: nil)
  }

  /// FS-81: in place of the flag that is there.
  public func set(_ key: ByteView, to flag: FlagshipFlag) { content.withLock { $0.set(CText(key), flag) } }

  /// FS-85
  public func filter(_ takes: (CText, FlagshipFlag) -> Bool) -> FlagCollection {
    FlagCollection(entries.filter { takes($0.key, $0.flag) })
  }

  /// FS-84: a JSON array of the flags that exist, with their metadata, key and value in hexadecimal; no text for none.
  public var json: [UInt8] {
    let listings = entries.compactMap { entry in entry.flag.listing.map { (entry.key, $0) } }
    if listings.isEmpty { return [] }
    var writer = JSONWriter()
    writer.array { writer in
      for (key, listing) in listings {
        writer.object { writer in
          withExtendedLifetime(listing.metadata) { listing.metadata.fields.writeMembers(to: &writer) }
          writer.key("key")
          writer.string(utf8: key.buffer)
          writer.member("hex", Hex.encode(Array(#"{"v":"#.utf8) + listing.json + Array("}".utf8)))
        }
      }
    }
    return writer.bytes
  }

  /// FS-89
  /// - Returns: `.ok`, or what the first one gave that was not sent; all are tried.
  public func exposeAll() -> Status {
    entries.map { $0.flag.expose() }.first { $0 != .ok } ?? .ok
  }
}

extension FlagshipVisitor {
  /// None in panic, before the start and after the close.
  fileprivate var readableFlags: VisitorFlags {
    switch statusCell.current {
    case .notInitialized, .panic: .none
    case .initializing, .initialized: snapshotOfState.flags
    }
  }
}
