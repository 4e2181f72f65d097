import HoistBase
import HoistCore
import HoistUnleash

/// Every flag of a document that compiles is decided, the same way twice, and can be explained.
func checkFeatures(_ bytes: ByteView) -> String? {
  guard let compilation = try? UnleashFeatures.compile(bytes, options) else { return nil }
  return check(compilation.snapshot)
}

func checkToggles(_ bytes: ByteView) -> String? {
  guard let compilation = try? UnleashToggles.compile(bytes, context: nil, options) else { return nil }
  return check(compilation.snapshot)
}

/// A state that took the bytes is a document that compiles; one that refused them is as it was.
func checkDelta(_ bytes: ByteView) -> String? {
  var state = UnleashFeatureState()
  do {
    try state.take(hydration)
  } catch {
    return "the first document is refused: \(error)"
  }
  let before = state.document
  do {
    try state.take(bytes)
  } catch {
    return state.document == before ? nil : "a refused document left its marks"
  }
  guard let compilation = try? state.compile(options) else { return "a state that was taken does not compile" }
  return check(compilation.snapshot)
}

private func check(_ snapshot: Snapshot) -> String? {
  defer { snapshot.destroy() }
  for index in 0..<min(snapshot.flagCount, 64) {
    let record = snapshot.record(at: index)
    for context in contexts {
      var first = Evaluation(want: .any)
      var second = Evaluation(want: .any)
      withFixedAmbient { ambient in
        first.ambient = ambient
        snapshot.head.pointee.evaluate(snapshot.base, record, context.freeze(), &first)
      }
      withFixedAmbient { ambient in
        second.ambient = ambient
        _ = UnleashFlags.explain(
          &second, snapshot: snapshot, record: record, context: context.freeze().map { FrozenContext($0) })
      }
      if first.enabled != second.enabled || first.reason != second.reason || !first.variation.elementsEqual(second.variation) {
        return "flag \(index) is explained as something else than it is"
      }
    }
  }
  return nil
}

private let options: UnleashOptions = {
  var options = UnleashOptions()
  options.regexEngine = engine
  options.hostName = "host"
  options.limits.flags = 1000
  return options
}()

private let hydration = Array(
  """
  {"events":[{"type":"hydration","eventId":1,"features":[{"name":"a","enabled":true,"strategies":[{"name":"default",
  "segments":[1]}]}],"segments":[{"id":1,"constraints":[]}]}]}
  """.utf8)

/// The same time and the same draws each time.
private func withFixedAmbient(_ body: (UnsafePointer<Ambient>) -> Void) {
  var state: UInt64 = 0x1234_5678_9ABC_DEF0
  withUnsafeMutablePointer(to: &state) { state in
    var ambient = Ambient()
    ambient.unixMilliseconds = 1_700_000_000_000
    ambient.random = state
    withUnsafePointer(to: &ambient) { body($0) }
  }
}

/// Nobody, and somebody with a value for whatever a rule may ask.
private let contexts: [EvaluationContext] = {
  let somebody = EvaluationContext(
    attributes: ["userId", "sessionId", "remoteAddress", "a", "b", "version", "date"].map {
      Attribute(name: Array($0.utf8), value: .string(Array("1.2.3".utf8)))
    })
  return [EvaluationContext(), somebody]
}()
