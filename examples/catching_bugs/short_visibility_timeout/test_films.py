def test_a_film_that_takes_two_minutes_is_converted_by_one_worker(sqs, sqs_queue, sqs_clock, consumer):
    sqs.send_message(QueueUrl=sqs_queue, MessageBody="opening,chase,ending")
    converted = []

    def convert(scene):
        sqs_clock.advance(seconds=40)  # so long does a scene take
        converted.append(scene)
        if scene == "chase":  # meanwhile, another worker looks for work
            consumer.handle_films(sqs, sqs_queue, converted.append)

    consumer.handle_films(sqs, sqs_queue, convert)
    assert converted == ["opening", "chase", "ending"]
