public import CHoist
internal import HoistBase
internal import HoistCore

/// A host's event dispatcher, in place of delivery over the network. The pipeline gives up when no answer comes.
final class CDispatcher: HostAdapter<hoist_dispatcher>, EventSink, @unchecked Sendable {
  private let lane = Lane(
    options: .init(name: "hoist-dispatch"), clock: BuiltInServices.shared.clock, scheduler: BuiltInServices.shared.scheduler)
  private static let limitNanoseconds: Int64 = 10_000_000_000

  deinit { lane.close() }

  func deliver(
    _ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void
  ) -> (any Cancellable)? {
    let receipt = DispatchReceipt(completion)
    let taken = lane.perform(withinNanoseconds: Self.limitNanoseconds) { [self] in
      call(delivery, receipt)
    } abandoned: {
      receipt.complete(.failed("the dispatcher plug-in did not return in time"))
    }
    if !taken { receipt.complete(.failed("the dispatcher plug-in is stuck")) }
    return nil
  }

  private func call(_ delivery: EventDelivery, _ receipt: DispatchReceipt) {
    guard let dispatch = table.dispatch else { return receipt.complete(.failed("the dispatcher plug-in cannot dispatch")) }
    // Owned by the host until it completes.
    guard let handle = DispatchReceipt.handles.give(receipt) else { return }
    let status = HostBatch.with(delivery) { dispatch(table.user_data, $0, handle) }
    guard status != Status.ok.rawValue else { return }
    receipt.complete(.failed("the dispatcher plug-in answered status \(status)"))
    DispatchReceipt.handles.take(handle)
  }
}

/// What a `hoist_dispatch_receipt` handle points at.
final class DispatchReceipt: Sendable {
  static let handles = HandleTable<DispatchReceipt>()
  private let completion: @Sendable (EventAnswer) -> Void
  init(_ completion: @escaping @Sendable (EventAnswer) -> Void) { self.completion = completion }
  func complete(_ answer: EventAnswer) { completion(answer) }
}

/// A batch as C sees it, alive during `body`.
private enum HostBatch {
  static func with(_ delivery: EventDelivery, _ body: (UnsafePointer<hoist_dispatch_batch>) -> hoist_status) -> hoist_status {
    let (pipeline, method, url) = (CText(delivery.pipeline), CText(delivery.request.method), CText(delivery.request.url))
    let (service, path) = (CText(delivery.origin.service), CText(delivery.request.shownPath))
    let (digest, subject) = (CText(delivery.origin.keyDigest), CText(delivery.subject))
    let content = CText(delivery.request.body ?? [])
    let ids = delivery.eventIDs.map { CText($0) }
    let pointers: [UnsafePointer<CChar>?] = ids.map(\.pointer)
    return withExtendedLifetime((pipeline, method, url, service, path, digest, subject, content, ids)) {
      CHeaders.with(delivery.request.headers) { headers, count in
        pointers.withUnsafeBufferPointer { list in
          var told = hoist_dispatch_batch(
            struct_size: MemoryLayout<hoist_dispatch_batch>.size, pipeline: pipeline.pointer, method: method.pointer,
            url: url.pointer, headers: headers, header_count: count, body: UnsafeRawPointer(content.pointer),
            body_size: content.count, event_ids: list.baseAddress, event_count: list.count, service: service.pointer,
            path: path.pointer, key_hash: digest.pointer, subject: subject.pointer, timeout_ms: delivery.limitMilliseconds,
            attempt: Int32(clamping: delivery.attempt))
          return body(&told)
        }
      }
    }
  }
}

@_cdecl("hoist_dispatch_receipt_complete") @implementation
public func hoist_dispatch_receipt_complete(_ receipt: OpaquePointer?, _ status: hoist_status) {
  guard let object = DispatchReceipt.handles.take(receipt) else { return }
  switch Status(rawValue: status) {
  case .ok: object.complete(.taken)
  case .argument: object.complete(.refused("the dispatcher plug-in refused the events"))
  default: object.complete(.failed("the dispatcher plug-in failed with status \(status)"))
  }
}

@_cdecl("hoist_dispatch_receipt_answer") @implementation
public func hoist_dispatch_receipt_answer(
  _ receipt: OpaquePointer?, _ status: hoist_status, _ message: UnsafePointer<CChar>?
) {
  guard let object = DispatchReceipt.handles.take(receipt) else { return }
  let told = CString.text(message) ?? ""
  let reason = told.isEmpty ? "the dispatcher plug-in answered status \(status)" : told
  switch Status(rawValue: status) {
  case .ok: object.complete(.taken)
  case .argument: object.complete(.refused(reason))
  case .limit: object.complete(.tooLarge(reason))
  case .configuration: object.complete(.forbidden(reason))
  default: object.complete(.failed(reason))
  }
}

@_cdecl("hoist_config_set_dispatcher") @implementation
public func hoist_config_set_dispatcher(
  _ config: OpaquePointer?, _ dispatcher: UnsafePointer<hoist_dispatcher>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(config, dispatcher, error, "dispatcher", \.eventSink) { CDispatcher($0) }
}
