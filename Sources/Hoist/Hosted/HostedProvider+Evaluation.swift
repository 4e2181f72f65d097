internal import CHoist
internal import CShims
internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What evaluating threads need.
extension HostedProvider {
  func countUnknown(_ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?) {}

  func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    guard let member = table.record, isOpen else { return }
    // So that what it records is known to belong to an evaluation; a view's is in no section.
    let slot = shim_enter()
    instance.tell(evaluation, record, snapshot, context: context) { member(instance.pointer, $0) }
    shim_leave(slot)
  }

  func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    let metadata = record.assumingMemoryBound(to: HostedFlagRecord.self).pointee.metadata
    return metadata.isNone ? Array("{}".utf8) : Array(metadata.bytes(snapshot.base))
  }

  func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    snapshot.head.pointee.evaluate(snapshot.base, record, context?.base, &evaluation)
    let traits = record.assumingMemoryBound(to: HostedFlagRecord.self).pointee.traits
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("enabled", traits.contains(.enabled))
    writer.member("decidedPerCall", traits.contains(.decidedPerCall))
    writer.key("variation")
    if evaluation.variationIndex >= 0 { writer.int(Int64(evaluation.variationIndex)) } else { writer.null() }
    writer.key("provider")
    if let told = told(evaluation, snapshot, record, context) { writer.raw(told) } else { writer.null() }
    writer.endObject()
    return writer.bytes
  }

  /// What the provider says of it; nil where that is nothing, or no JSON.
  private func told(
    _ evaluation: borrowing Evaluation, _ snapshot: Snapshot, _ record: UnsafeRawPointer, _ context: FrozenContext?
  ) -> [UInt8]? {
    guard let member = table.explain, isOpen else { return nil }
    let sink = BytesSink()
    defer { withExtendedLifetime(sink) {} }
    let status = instance.tell(evaluation, record, snapshot, context: context) {
      member(instance.pointer, $0, Handle.lent(sink))
    }
    guard status == Status.ok.rawValue, let document = try? JSONDocument(parsing: sink.bytes) else { return nil }
    return document.withRoot { try? $0.text() }
  }

  func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool {
    guard let root: UnsafePointer<HostedRoot> = snapshot?.root(), root.pointee.contextFingerprint != 0 else { return true }
    return isServed(context.base, current?.base, root.pointee.contextFingerprint)
  }

  func track(_ event: TrackedEvent) -> Status {
    guard let member = table.track else { return .unsupported }
    guard isOpen else { return .state }
    let key = CText(event.key)
    let properties: [EventProperty]
    do throws(Refusal) {
      properties = try event.properties.map { property throws(Refusal) in try EventProperty(property.name, property.value) }
    } catch {
      return client.refuse(event.key, error.status, error.message)
    }
    let list = properties.map(\.told)
    let context = event.context ?? client.currentContext
    return withExtendedLifetime((key, properties, context)) {
      BorrowedContext.with(context?.frozen.base) { borrowed in
        list.withUnsafeBufferPointer { list in
          var told = hoist_provider_event(
            struct_size: MemoryLayout<hoist_provider_event>.size, key: key.pointer, context: borrowed,
            value: event.value ?? 0, has_value: event.value != nil, properties: list.baseAddress,
            property_count: list.count, at_unix_ms: event.unixMilliseconds)
          return Status(rawValue: member(instance.pointer, &told))
        }
      }
    }
  }
}
