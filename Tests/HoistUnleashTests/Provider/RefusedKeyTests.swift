import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

/// A service that answers 401 or 403 for a while: attempts go on, of fetches and of metrics (protocol D.2; contract 1).
struct RefusedKeyTests {
  enum Cause: CaseIterable {
    case context, field, start, refresh, online
  }

  private static let timing = ["refresh_interval": "15", "metrics_interval": "30"]

  private func options(_ mode: UnleashSettings.Mode) -> [String: String] {
    mode == .frontend ? frontend.merging(Self.timing) { $1 } : BackendService.options(nil, Self.timing)
  }

  private func good(_ mode: UnleashSettings.Mode, _ request: HTTPRequest) -> ScriptedTransport.Answer {
    if request.method == "POST" { return .success(HTTPResponse(status: 202)) }
    return mode == .frontend ? toggles("a") : BackendService.ok(BackendService.document("a"))
  }

  /// State: ERROR, the key refused for fetches and metrics alike.
  private func refused(_ mode: UnleashSettings.Mode, _ code: Int = 401, plugins: Plugins = Plugins()) throws -> ClientRig {
    let rig = try #require(ClientRig(options(mode), plugins: plugins))
    rig.transport.setResponder { _ in answer("", status: code) }
    #expect(rig.start().value == .unleashNetwork)
    _ = rig.isOn("a")
    #expect(rig.flush().value == .network && rig.posts.count == 1 && rig.client.state == .error)
    return rig
  }

  @Test(
    "A refresh while the refused fetch is in flight is not lost (contract 7; refused)",
    arguments: [
      UnleashSettings.Mode.frontend, .backend,
    ])
  func refreshInFlight(_ mode: UnleashSettings.Mode) throws {
    let rig = try #require(ClientRig(options(mode)))
    rig.begin()
    _ = rig.client.refresh()
    rig.scheduler.run()
    rig.transport.open.last?.complete(answer("", status: 401))
    rig.scheduler.run()
    #expect(rig.client.state == .error && rig.transport.open.count == 1)
    rig.transport.open.last.map { $0.complete(good(mode, $0.request)) }
    rig.scheduler.run()
    #expect(rig.client.state == .ready && rig.isOn("a"))
  }

  private func fetches(_ rig: ClientRig) -> Int { rig.transport.requests.count - rig.posts.count }

  @Test(
    "D.2: while the key is refused both are tried seldom, but for ever, and a line at error says when", arguments: [401, 403],
    [UnleashSettings.Mode.frontend, .backend])
  func attemptsGoOn(_ code: Int, _ mode: UnleashSettings.Mode) throws {
    let rig = try refused(mode, code)
    let errors = News()
    _ = rig.client.observe(.error, key: nil, errors)
    rig.scheduler.advance(milliseconds: 164_999)
    #expect(fetches(rig) == 1 && rig.posts.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(fetches(rig) == 2 && rig.client.state == .error)
    rig.scheduler.advance(milliseconds: 134_999)
    #expect(rig.posts.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.posts.count == 2)
    _ = rig.takeEvents()
    #expect(errors.all.allSatisfy { $0.message.contains("\(code)") && $0.message.hasSuffix(" s") } && errors.all.count == 2)
    #expect(rig.log.messages(.error).contains { $0.contains("\(code)") && $0.contains("the next attempt comes in 165 s") })
    rig.transport.setResponder { [self] in good(mode, $0) }
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.client.state == .ready && rig.isOn("a") && rig.posts.count > 2)
  }

  @Test(
    "D.2: where a header provider may bring another key, the next try of both takes one interval",
    arguments: [UnleashSettings.Mode.frontend, .backend])
  func aHeaderProviderIsAskedSoon(_ mode: UnleashSettings.Mode) throws {
    let token = Token("old")
    var plugins = Plugins()
    plugins.headerProvider = token
    let rig = try refused(mode, plugins: plugins)
    rig.scheduler.advance(milliseconds: 14_999)
    #expect(fetches(rig) == 1)
    rig.scheduler.advance(milliseconds: 1)
    rig.settle { fetches(rig) == 2 }
    #expect(fetches(rig) == 2 && rig.posts.count == 1)
    token.set("new")
    rig.transport.setResponder { [self] request in
      request.headers.value(of: "Authorization") == "new" ? good(mode, request) : answer("", status: 401)
    }
    rig.scheduler.advance(milliseconds: 15_000)
    rig.settle { rig.client.state == .ready && rig.posts.count == 2 }
    #expect(rig.client.state == .ready && rig.isOn("a") && rig.posts.count == 2)
  }

  @Test(
    "D.2: whatever may make the service take the key is followed by an attempt at once, of both", arguments: Cause.allCases,
    [UnleashSettings.Mode.frontend, .backend])
  func causesAreTriedAtOnce(_ cause: Cause, _ mode: UnleashSettings.Mode) throws {
    let rig = try refused(mode)
    rig.transport.setResponder { [self] in good(mode, $0) }
    switch cause {
    case .context: _ = rig.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    case .field: _ = rig.face.setContextField("userId", "u")
    case .start: _ = rig.face.start(bootstrap: nil) { _ in }
    case .refresh: rig.client.onScheduler { $0.provider?.refresh() }
    case .online:
      _ = rig.client.setOnline(false)
      rig.scheduler.run()
      _ = rig.client.setOnline(true)
    }
    rig.scheduler.run()
    #expect(fetches(rig) == 2 && rig.posts.count == 2 && rig.client.state == .ready)
  }

  @Test("D.2: so it is with identify", arguments: [UnleashSettings.Mode.frontend, .backend])
  func identifyTriesAtOnce(_ mode: UnleashSettings.Mode) throws {
    let rig = try refused(mode)
    rig.transport.setResponder { [self] in good(mode, $0) }
    _ = rig.client.identify(EvaluationContext(targetingKey: "u").reference(), completion: nil)
    rig.scheduler.run()
    #expect(fetches(rig) == 2 && rig.posts.count == 2 && rig.client.state == .ready)
  }

  @Test("D.4: metrics that wait for another reason than the key keep their pace when the context changes")
  func otherPausesStay() throws {
    let rig = try #require(ClientRig(options(.frontend)))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    _ = rig.isOn("a")
    rig.transport.setResponder { _ in answer("", status: 503) }
    _ = rig.flush()
    rig.transport.setResponder { _ in toggles("a") }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    rig.scheduler.run()
    #expect(fetches(rig) == 2 && rig.posts.count == 1)
  }
}

/// A header provider whose answer changes.
private final class Token: HeaderProvider {
  private let text: LockedValue<String>
  init(_ text: String) { self.text = LockedValue(text) }
  func set(_ text: String) { self.text.withLock { $0 = text } }
  func headers(for url: String) -> [HTTPHeader]? { [HTTPHeader("Authorization", text.withLock { $0 })] }
}
