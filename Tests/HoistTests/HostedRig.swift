import CHoist
import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import Hoist

/// Notes every call of a provider's table, and holds up those that the test closes.
final class ProviderProbe: @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private var counts: [String: Int] = [:]
  private var closed: Set<String> = []
  private var reply: OpaquePointer?
  private(set) var order: [String] = []

  func calls(_ name: String) -> Int { lock.withLock { counts[name] ?? 0 } }
  func close(_ name: String) { lock.withLock { _ = closed.insert(name) } }
  func open(_ name: String) {
    lock.withLock { _ = closed.remove(name) }
    changed.broadcast()
  }

  func note(_ name: String) {
    lock.withLock {
      counts[name, default: 0] += 1
      order.append(name)
      changed.broadcast()
      while closed.contains(name) { _ = changed.wait(lock, untilNanoseconds: .max) }
    }
  }

  /// Until it has been called.
  func waitFor(_ name: String) {
    lock.withLock { while counts[name] == nil { _ = changed.wait(lock, untilNanoseconds: .max) } }
  }

  func keep(_ reply: OpaquePointer?) { lock.withLock { self.reply = reply } }
  func complete(_ status: Status) { hoist_provider_reply_complete(lock.withLock { reply }, status.rawValue) }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> ProviderProbe? {
    pointer.map { Unmanaged<ProviderProbe>.fromOpaque($0).takeUnretainedValue() }
  }

  /// A table whose user data is this probe, held until `release`.
  func table() -> hoist_provider {
    var table = hoist_provider()
    table.struct_size = MemoryLayout<hoist_provider>.size
    table.user_data = Unmanaged.passRetained(self).toOpaque()
    table.create = { data, _, instance, _, _ in
      instance.pointee = data
      ProviderProbe.of(data)?.note("create")
      return 0
    }
    table.start = { ProviderProbe.of($0)?.note("start") }
    table.stop = { ProviderProbe.of($0)?.note("stop") }
    table.refresh = { ProviderProbe.of($0)?.note("refresh") }
    table.identify = { data, _, reply in
      ProviderProbe.of(data)?.keep(reply)
      ProviderProbe.of(data)?.note("identify")
    }
    table.evaluate = { data, _ in
      ProviderProbe.of(data)?.note("evaluate")
      return 0
    }
    table.destroy = { ProviderProbe.of($0)?.note("destroy") }
    table.release = { data in
      ProviderProbe.of(data)?.note("release")
      if let data { Unmanaged<ProviderProbe>.fromOpaque(data).release() }
    }
    return table
  }
}

/// A client of a probe over a scripted transport and a clock that stands still.
final class HostedRig: @unchecked Sendable {
  private let host: TestClient
  let probe = ProviderProbe()
  let provider: HostedProvider

  init() throws {
    host = try TestClient(
      HostedFactory(description: try HostedDescription(HostedTable(probe.table()), offered: "probe")),
      ["dispatch": "manual", "store": "none", "log.level": "debug"])
    provider = try #require(host.client.provider as? HostedProvider)
    host.open()
    settle { probe.calls("start") == 1 }
  }

  var scheduler: ManualScheduler { host.scheduler }
  var transport: ScriptedTransport { host.transport }
  var client: Client { host.client }
  var log: RecordingLogSink { host.log }

  func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) {
    scheduler.settle(file: file, line: line, until: isDone)
  }

  func dispatchAll() { while client.dispatch(limit: 0) > 0 {} }

  func publish(_ flags: [(key: String, json: String, traits: HostedFlagTraits)]) {
    let set = FlagSet()
    do {
      for flag in flags {
        try set.add(
          FlagSet.Flag(
            key: Array(flag.key.utf8), traits: flag.traits.union(.enabled), defaultVariation: 0,
            variations: [([], Array(flag.json.utf8))], metadata: []))
      }
      try provider.publish(set)
    } catch {
      Issue.record("\(error.message)")
    }
    dispatchAll()
  }

  /// The hot path: a switch's value; nil when it does not answer.
  func fast(_ key: String) -> Bool? {
    key.withBytes { HotPath.evaluate(client.hot, $0, nil, .bool) { $0.kind == .bool ? $0.integer != 0 : nil } } ?? nil
  }

  /// The keys of every notification.
  func observe(_ topic: Topic) -> Locked<[[String]]> {
    let heard = Locked<[[String]]>([])
    _ = client.observe(topic, key: nil, ClosureObserver { news in heard.change { $0.append(news.keys) } })
    return heard
  }

  func counter(_ name: String) -> Int64? { provider.statistics.first { $0.group == "provider" && $0.name == name }?.value }

  /// Closes while the scheduler runs.
  func close() -> Status {
    let result = Locked<Status?>(nil)
    let client = client
    let closing = ClosingThread { result.value = client.close(timeoutMilliseconds: 5_000) }
    settle { result.value != nil }
    closing.join()
    return result.value ?? .timeout
  }
}

/// A thread of the test's own: on one of the library's, closing is refused.
private final class ClosingThread: @unchecked Sendable {
  private var thread = pthread_t()
  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  init(_ body: @escaping () -> Void) {
    let box = Unmanaged.passRetained(Body(body)).toOpaque()
    pthread_create(
      &thread, nil,
      { raw in
        if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
        return nil
      }, box)
  }

  func join() { pthread_join(thread, nil) }
}
