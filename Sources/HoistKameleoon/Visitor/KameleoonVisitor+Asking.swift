internal import HoistBase
public import HoistCore

/// What the service knows of the visitor, and what it keeps for the site (KAM-45 to KAM-55, KAM-B04).
extension KameleoonVisitor {
  /// - Parameters:
  ///   - timeoutMilliseconds: of the whole call; negative for the client's own (KAM-04).
  ///   - completion: once if the result is `.ok`, on the delivery lane or in the call that closes the client (KAM-74).
  public func ask(
    _ question: RemoteQuestion, timeoutMilliseconds: Int64 = -1, completion: (@Sendable (RemoteAnswer) -> Void)?
  ) -> Status {
    withService(question) { client, service in
      let kept = LockedValue<RemoteAnswer?>(nil)
      let told = completion.map { completion in
        { @Sendable (status: Status) in completion(kept.withLock { $0 } ?? RemoteAnswer(status)) }
      }
      return client.promise(told) { [self] tell in
        client.onScheduler { [self] _ in
          service.answer(question, of: self, timeoutMilliseconds: timeoutMilliseconds) { answer in
            kept.withLock { $0 = answer }
            tell(answer.status)
          }
        }
        return .ok
      }
    }
  }

  /// The same, waiting for its end (KAM-B04). `.state` on a thread of the library's own.
  public func askAndWait(_ question: RemoteQuestion, timeoutMilliseconds: Int64 = -1) -> RemoteAnswer {
    let kept = LockedValue<RemoteAnswer?>(nil)
    // The call ends by its own time limit, or with the client.
    let status = withService(question) { client, service in
      client.wait(timeoutMilliseconds: -1) { [self] _, tell in
        service.answer(question, of: self, timeoutMilliseconds: timeoutMilliseconds) { answer in
          kept.withLock { $0 = answer }
          tell(answer.status)
        }
      }
    }
    let answer = kept.withLock { $0 }
    return answer?.status == status ? answer ?? RemoteAnswer(status) : RemoteAnswer(status)
  }

  private func withService(_ question: RemoteQuestion, _ body: (Client, RemoteDataService) -> Status) -> Status {
    if case .warehouseAudience(_, let index) = question, index < 0 { return .argument }
    return withClient { client, _ in
      guard !client.isClosed, let provider = client.provider as? KameleoonProvider else { return .state }
      return body(client, provider.remote)
    } ?? .state
  }
}
