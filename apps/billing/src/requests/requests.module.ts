import { Module } from '@nestjs/common';
import { RequestsController } from './requests.controller.ts';

@Module({ controllers: [RequestsController] })
export class RequestsModule {}
