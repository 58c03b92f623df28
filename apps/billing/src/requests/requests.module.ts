import { Module } from '@nestjs/common';
import { OverviewController } from '../overview/overview.controller.ts';
import { RequestsController } from './requests.controller.ts';

@Module({ controllers: [RequestsController, OverviewController] })
export class RequestsModule {}
