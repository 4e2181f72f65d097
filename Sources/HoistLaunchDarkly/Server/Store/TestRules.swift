public import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags and segments that a program sets for its own tests, in the place of a service; for as many clients as are opened
/// with it. Thread-safe.
public final class TestRules: @unchecked Sendable {
  /// Under which configurations have it.
  public static let slot = "launchdarkly.test_data"
  /// How long a call waits for one client to serve what was set.
  private static let patienceNanoseconds: Int64 = 5_000_000_000

  private struct Item {
    var version: Int64
    var json: [UInt8]
  }

  private struct Follower {
    let scheduler: any Scheduler
    let clock: any Clock
    let update: @Sendable () -> Void
  }

  private let lock = Lock()
  private var items: [ItemName: Item] = [:]
  private var followers: [ObjectIdentifier: Follower] = [:]

  public init() {}

  /// Sets a flag, new or in the place of one of the same key, as the service would send it; its version is one more than
  /// before. The clients serve it when this returns.
  /// - Returns: what is wrong with it; nil for nothing.
  public func setFlag(_ json: ByteView) -> String? { set(.flag, json) }

  public func setSegment(_ json: ByteView) -> String? { set(.segment, json) }

  private func set(_ kind: ItemName.Kind, _ json: ByteView) -> String? {
    do throws(FlagFailure) {
      try JSONNode.withRoot(of: json, .standard) { (node) throws(FlagFailure) in
        guard node.kind == .object else { throw FlagFailure("it is no JSON object") }
        try keep(node, ItemName(kind, try required(node.text("key"), "key")))
      }
    } catch {
      return error.reason
    }
    for follower in lock.withLock({ Array(followers.values) }) { Self.bring(follower) }
    return nil
  }

  private func keep(_ node: JSONNode, _ item: ItemName) throws(FlagFailure) {
    try lock.withLock { () -> Result<Void, FlagFailure> in
      let version = (items[item]?.version ?? 0) &+ 1
      var writer = JSONWriter()
      writer.item(node, version: version)
      let former = items.updateValue(Item(version: version, json: writer.bytes), forKey: item)
      var table = ServerTable(ServerResources(nil))
      return unlockedDocument.withBytes { text in
        Result { () throws(FlagFailure) in
          do throws(FlagFailure) { try table.put(text, .poll, over: nil).snapshot?.destroy() } catch {
            items[item] = former
            throw error
          }
        }
      }
    }.get()
  }

  private static func bring(_ follower: Follower) {
    let isDone = Completion<Bool>()
    follower.scheduler.post {
      follower.update()
      isDone.give(true)
    }
    if follower.scheduler.standsInForItsThread { return }
    _ = isDone.wait(untilNanoseconds: follower.clock.monotonicNanoseconds &+ patienceNanoseconds)
  }

  /// As a poll brings them.
  var document: [UInt8] { lock.withLock { unlockedDocument } }

  private var unlockedDocument: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, kind): (String, ItemName.Kind) in [("flags", .flag), ("segments", .segment)] {
        writer.key(name)
        writer.object { writer in
          for (item, own) in items where item.kind == kind {
            item.key.withUnsafeBufferPointer { writer.key(utf8: $0) }
            writer.raw(own.json)
          }
        }
      }
    }
    return writer.bytes
  }

  /// - Parameter update: runs on the host's scheduler whenever something was set.
  func follow(_ owner: AnyObject, _ host: any ProviderHost, _ update: @escaping @Sendable () -> Void) {
    lock.withLock {
      followers[ObjectIdentifier(owner)] = Follower(scheduler: host.scheduler, clock: host.clock, update: update)
    }
  }

  func unfollow(_ owner: AnyObject) { _ = lock.withLock { followers.removeValue(forKey: ObjectIdentifier(owner)) } }
}
